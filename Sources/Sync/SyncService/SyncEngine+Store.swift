internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Questions and writes of the replica at the store.
extension SyncEngine {
    /// Returns the answer of the store; before it the circle, if there are new statements.
    func answers(to question: StoreQuestion) -> [ReplicaEvent] {
        do throws(StoreFailure) {
            readFailure = nil
            switch question {
            case .heads:
                let isChanged = try exchangeStatements()
                let heads = StoreAnswer.heads(try readHeads())
                return (isChanged ? [circleEvent] : []) + [.answer(heads)]
            case .segments(let dots):
                // The replica asks for the rest: what is read now is opened at once, and in locked memory.
                let found = try readObjects(
                    dots.map(StoreObjectName.segment), SegmentObject.self, byteLimit: Self.segmentByteLimit)
                return [.answer(.segments(found.filter { isOwnPlace($0.value, $0.key) }.map(\.value.segment)))]
            case .snapshotPart(let device, let number, let part):
                let name = StoreObjectName(ObjectName.snapshotPart(device, number: number, part: part))
                let found = try readObjects([name], SnapshotPartObject.self)[name]?.part
                let isAsked = found.map { $0.device == device && $0.number == number && $0.part == part } ?? false
                return [.answer(.snapshotPart(device, number: number, part: part, isAsked ? found : nil))]
            case .ownHead:
                let name = StoreObjectName.head(device)
                let stored = try store.readAll([name]).objects
                replacedHead = stored[name].map(HeadMark.init(of:))
                return [.answer(.ownHead(verified(stored, HeadObject.self)[name]?.head))]
            case .objects(let writer): return [.answer(.objects(writer, try names(of: writer)))]
            }
        } catch {
            readFailure = error
            return [.answer(.failed)]
        }
    }

    /// The sealed bytes after which no further segments are read for one answer.
    private static let segmentByteLimit = 2 << 20

    private func readObjects<Content: LoggedContent>(
        _ names: [StoreObjectName], _: Content.Type, byteLimit: Int = 64 << 20
    ) throws(StoreFailure) -> [StoreObjectName: VerifiedObject<Content>] {
        verified(try store.readAll(names, byteLimit: byteLimit).objects, Content.self)
    }

    /// Returns the objects that are whole, of this circle, and signed by their writers.
    private func verified<Content: LoggedContent>(
        _ objects: [StoreObjectName: [UInt8]], _: Content.Type
    ) -> [StoreObjectName: VerifiedObject<Content>] {
        var found: [StoreObjectName: VerifiedObject<Content>] = [:]
        for (name, bytes) in objects {
            guard let signed = try? SignedObject<Content>(parsing: bytes), signed.claimedWriter == name.writer,
                case .device(let keys)? = environment.graph.keys(of: .device(signed.claimedWriter)),
                let verified = try? signed.verified(in: circle, with: keys, by: P256StatementVerifier())
            else { continue }
            environment.receive(bytes, verified.hash)
            found[name] = verified
        }
        return found
    }

    private func isOwnPlace(_ object: VerifiedObject<SegmentObject>, _ name: StoreObjectName) -> Bool {
        name == .segment(object.content.header.dot)
    }

    private func readHeads() throws(StoreFailure) -> [Head] {
        let names = try store.list(.heads).names
        return try readObjects(names, HeadObject.self).sorted { $0.key < $1.key }.map(\.value.head)
    }

    private func names(of writer: DeviceIdentifier) throws(StoreFailure) -> Set<ObjectName> {
        var names: Set<ObjectName> = []
        for zone in ZoneClass.allCases {
            names.formUnion(try store.list(.segments(StreamIdentifier(writer, zone))).names.compactMap(ObjectName.init))
        }
        names.formUnion(try store.list(.snapshots(writer)).names.compactMap(ObjectName.init))
        return names
    }

    // MARK: Writing

    func create(_ objects: [SealedObject]) -> StoreAnswer {
        var bytes: [StoreObjectName: [UInt8]] = [:]
        for object in objects {
            guard let sealed = sealedBytes(of: object.name) else { return .failed }
            bytes[StoreObjectName(object.name)] = sealed
        }
        do throws(StoreFailure) {
            try store.create(bytes)
            writeFailure = nil
            environment.forgetSealed(objects.map(\.name))
            return .created(objects.map(\.name))
        } catch {
            if case .taken(let name) = error, let name = ObjectName(name) { return .taken(name) }
            writeFailure = error
            return .failed
        }
    }

    private func sealedBytes(of name: ObjectName) -> [UInt8]? {
        if let sealed = environment.sealed[name] { return sealed }
        return try? parts.items.read { try $0.syncOutbox(named: StoreObjectName(name).description) }
    }

    func publish(_ head: Head) -> StoreAnswer {
        guard let bytes = try? parts.items.read({ [device] in try $0.syncHead(of: device.bytes) }) else {
            return .failed
        }
        do throws(StoreFailure) {
            replacedHead = try store.publish([:], head: bytes, replacing: replacedHead)
            writeFailure = nil
            return .headWritten(head.number)
        } catch {
            writeFailure = error
            return .failed
        }
    }

    // MARK: Statements

    /// Takes new statements, and writes those that the store lacks.
    /// - Returns: true if there are new ones.
    private func exchangeStatements() throws(StoreFailure) -> Bool {
        let shown = Set(try store.list(.statements).names)
        let known = Set(environment.graph.statements.map { StoreObjectName.statement($0.hash) })
        let unknown = shown.subtracting(known).sorted()
        var isChanged = false
        if !unknown.isEmpty {
            let signed = try store.readAll(unknown).objects.values.compactMap { try? SignedStatement(parsing: $0) }
            isChanged = take(signed)
        }
        let missing = known.subtracting(shown)
        if !missing.isEmpty {
            do throws(StoreFailure) {
                try writeStatements(missing)
                writeFailure = nil
            } catch {
                writeFailure = error
            }
        }
        if isChanged { try? shareKeys() }
        return isChanged
    }

    /// Exchanges statements alone, for a device that has left the circle, and for one whose identity runs twice.
    func exchangeStatementsAlone() {
        do throws(StoreFailure) {
            readFailure = nil
            if try exchangeStatements() { circleChanged() }
        } catch {
            readFailure = error
        }
    }

    /// True if the store shows every statement that this device knows.
    func hasPutOutStatements() throws(StoreFailure) -> Bool {
        _ = try exchangeStatements()
        let shown = Set(try store.list(.statements).names)
        return environment.graph.statements.allSatisfy { shown.contains(.statement($0.hash)) }
    }

    private func take(_ signed: [SignedStatement]) -> Bool {
        let settings = membership.settings
        let results = environment.graph.insert(all: signed, verifier: P256StatementVerifier())
        let accepted = zip(signed, results).filter { $0.1 == .accepted }.map(\.0)
        guard !accepted.isEmpty else { return false }
        defer { takeKeys() }
        let rows = accepted.map { SyncStatementRow(hash: $0.hash.bytes, bytes: $0.bytes) }
        // Those that are not stored are read again after the next start.
        let isOtherGroups = membership.settings.allowedGroups != settings.allowedGroups
        try? parts.items.write { writer in
            for row in rows { try writer.addSyncStatement(row) }
            if isOtherGroups { try writer.nameAllAgain() }
        }
        return true
    }

    private func writeStatements(_ names: Set<StoreObjectName>) throws(StoreFailure) {
        let read = try? parts.items.read { reader in
            (try reader.syncStatements().map(\.bytes), try reader.syncValue(named: CircleValue.founding))
        }
        guard let stored = read else { return }
        var objects: [StoreObjectName: [UInt8]] = [:]
        for bytes in stored.0 + (stored.1.map { [$0] } ?? []) {
            guard let hash = try? SignedStatement(parsing: bytes).hash, names.contains(.statement(hash)) else {
                continue
            }
            objects[.statement(hash)] = bytes
        }
        try store.create(objects)
    }
}
