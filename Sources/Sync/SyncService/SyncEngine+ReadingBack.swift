internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Looks at what the store has under the names of this device's objects, and of statements: a listing has names alone, and an altered
/// object would be missed by the others for as long as no one writes it again.
extension SyncEngine {
    /// In microseconds.
    private static let interval = 10 * ReplicaLimits.minute
    /// The objects and bytes that are read in one exchange. The next one goes on behind them.
    private static let nameLimit = 128
    private static let byteLimit = 1 << 20

    /// Reads the next objects, and writes those again that are not as they were written.
    /// - Returns: what the replica has to know of it.
    func readBack() -> [ReplicaEvent] {
        let now = parts.now.uptime
        guard let time = readsBackAt, time <= now else {
            // The first time after a start the names are enough.
            readsBackAt = readsBackAt ?? now + Self.interval
            return []
        }
        readsBackAt = now + Self.interval
        guard let wrong = try? nextWrongObjects(), !wrong.isEmpty else { return [] }
        return wrong.sorted().flatMap { (try? repair($0)) ?? [] }
    }

    private func nextWrongObjects() throws(StoreFailure) -> Set<StoreObjectName> {
        let names = storedNames.sorted()
        let start = readBackTo.flatMap { last in names.firstIndex { $0 > last } } ?? 0
        let portion = Array(names[start...].prefix(Self.nameLimit))
        guard !portion.isEmpty else { return [] }
        let read = try store.readAll(portion, byteLimit: Self.byteLimit)
        let looked = portion.filter { !read.rest.contains($0) }
        readBackTo = looked.last
        return Set(looked.filter { name in read.objects[name].map { !isAsWritten($0, name) } ?? true })
    }

    /// The objects that the store is known to have had, and that this device can write again.
    private var storedNames: [StoreObjectName] {
        let segments = state.outbox.keys.filter { $0.number <= state.confirmed[$0.stream.zone] }
        let parts = state.snapshot.map { $0.wasReadBack ? $0.reference.names(of: device) : [] } ?? []
        return segments.map(StoreObjectName.segment) + parts.map(StoreObjectName.init)
            + environment.graph.statements.map { .statement($0.hash) }
    }

    private func isAsWritten(_ bytes: [UInt8], _ name: StoreObjectName) -> Bool {
        switch name {
        case .statement(let hash):
            // The hash does not cover the signatures.
            guard let statement = try? SignedStatement(parsing: bytes), statement.hash == hash,
                let author = environment.graph[hash]?.statement.author,
                let keys = environment.graph.keys(of: author)
            else { return false }
            return (try? statement.verified(with: keys, by: P256StatementVerifier())) != nil
        case .segment(let dot):
            guard let segment = own(bytes, SegmentObject.self), segment.content.header.dot == dot else { return false }
            return segment.hash == state.outbox[dot]?.hash
        default:
            guard let part = own(bytes, SnapshotPartObject.self) else { return false }
            return StoreObjectName(part.part.name) == name
        }
    }

    /// Returns the object if this device has signed it.
    private func own<Content: LoggedContent>(_ bytes: [UInt8], _: Content.Type) -> VerifiedObject<Content>? {
        guard let signed = try? SignedObject<Content>(parsing: bytes), signed.claimedWriter == device else {
            return nil
        }
        return try? signed.verified(in: circle, with: identity.publicKeys, by: P256StatementVerifier())
    }

    private func repair(_ name: StoreObjectName) throws(StoreFailure) -> [ReplicaEvent] {
        switch name {
        case .statement:
            try replace(name)
            return []
        case .segment:
            guard let object = ObjectName(name) else { return [] }
            // Signed by this device and something else: the replica knows what that means.
            if let hash = try hashOfOwn(object) { return [.answer(.ownObject(object, hash))] }
            try replace(name)
            return []
        default:
            guard let object = ObjectName(name) else { return [] }
            // The bytes of a snapshot are not kept: without this part in the listing the replica writes another one.
            return [.answer(.objects(device, try names(of: device).subtracting([object])))]
        }
    }

    private func replace(_ name: StoreObjectName) throws(StoreFailure) {
        guard let bytes = storedBytes(of: name) else { return }
        do throws(StoreFailure) {
            try store.create([name: bytes])
        } catch {
            guard case .taken = error else { throw error }
            try store.remove([name])
            try store.create([name: bytes])
        }
    }

    private func storedBytes(of name: StoreObjectName) -> [UInt8]? {
        if let object = ObjectName(name) { return sealedBytes(of: object) }
        let statements = try? signedStatements.all
        return statements?.first { .statement($0.hash) == name }?.bytes
    }
}
