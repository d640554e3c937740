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
                let news = try store.news(knowing: lastHeads.mapValues(\.mark))
                let isChanged = try exchangeStatements(shown: Set(news.statements))
                let proved = readEvidence().map { ReplicaEvent.evidence(against: $0) }
                let heads = StoreAnswer.heads(try heads(of: news))
                return (isChanged ? [circleEvent] : []) + proved + [.answer(heads)] + readBack()
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
                if let published = publishNext() { return [.answer(published)] }
                let name = StoreObjectName.head(device)
                let stored = try store.readAll([name]).objects
                replacedHead = stored[name].map(HeadMark.init(of:))
                return [.answer(.ownHead(verified(stored, HeadObject.self)[name]?.head))]
            case .ownObject(let name): return [.answer(.ownObject(name, try hashOfOwn(name)))]
            case .objects(let writer): return [.answer(.objects(writer, try names(of: writer)))]
            }
        } catch {
            readFailure = error
            return [.answer(.failed)]
        }
    }

    /// The sealed bytes after which no further segments are read for one answer.
    private static let segmentByteLimit = 1 << 20

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

    /// Returns the hash of the object under the name if this device has signed it for that place.
    func hashOfOwn(_ name: ObjectName) throws(StoreFailure) -> ObjectHash? {
        let stored = StoreObjectName(name)
        switch name {
        case .head: return try readObjects([stored], HeadObject.self)[stored]?.hash
        case .segment:
            guard let found = try readObjects([stored], SegmentObject.self)[stored], isOwnPlace(found, stored) else {
                return nil
            }
            return found.hash
        case .snapshotPart:
            guard let found = try readObjects([stored], SnapshotPartObject.self)[stored],
                found.part.name == name
            else { return nil }
            return found.hash
        }
    }

    private func isOwnPlace(_ object: VerifiedObject<SegmentObject>, _ name: StoreObjectName) -> Bool {
        name == .segment(object.content.header.dot)
    }

    private func heads(of news: StoreNews) throws(StoreFailure) -> [Head] {
        // Most heads are those of the last exchange: a signature is verified once.
        var heads = lastHeads.filter { news.unchanged.contains($0.key) }
        for head in heads.values { environment.receive(head.bytes, head.verified.hash) }
        var objects = news.changed
        if !news.rest.isEmpty { objects.merge(try store.readAll(news.rest).objects) { first, _ in first } }
        for (name, verified) in verified(objects, HeadObject.self) {
            heads[name] = objects[name].map { KnownHead(bytes: $0, mark: HeadMark(of: $0), verified: verified) }
        }
        lastHeads = heads
        return heads.sorted { $0.key < $1.key }.map(\.value.verified.head)
    }

    func names(of writer: DeviceIdentifier) throws(StoreFailure) -> Set<ObjectName> {
        var names: Set<ObjectName> = []
        for zone in ZoneClass.allCases {
            names.formUnion(try store.list(.segments(StreamIdentifier(writer, zone))).names.compactMap(ObjectName.init))
        }
        names.formUnion(try store.list(.snapshots(writer)).names.compactMap(ObjectName.init))
        return names
    }

    // MARK: Writing

    func create(_ objects: [SealedObject]) -> StoreAnswer {
        guard let bytes = sealedBytes(of: objects) else { return .failed }
        do throws(StoreFailure) {
            try store.create(bytes)
            writeFailure = nil
            environment.forgetSealed(objects.map(\.name))
            return .created(objects.map(\.name))
        } catch {
            writeFailure = error
            if case .taken(let name) = error, let name = ObjectName(name) { return .taken(name) }
            return .failed
        }
    }

    /// Writes the next publication in one call to the store, which compares the own head by itself. Returns nil if that cannot be done, or
    /// was not: then the replica takes one step after the other, and finds out.
    private func publishNext() -> StoreAnswer? {
        guard let replaced = replacedHead, let next = replica.nextPublication else { return nil }
        guard let objects = sealedBytes(of: next.objects), let bytes = headBytes else { return nil }
        do throws(StoreFailure) {
            replacedHead = try store.publish(objects, head: bytes, replacing: replaced)
        } catch {
            switch error {
            case .headReplaced, .taken, .system: return nil
            // A store that does not answer, or refuses, would do so again.
            case .unreachable, .refused, .unsuitable:
                writeFailure = error
                return .failed
            }
        }
        writeFailure = nil
        progress += 1
        environment.forgetSealed(next.objects.map(\.name))
        return .ownHead(next.head)
    }

    /// The own head as it is stored here.
    private var headBytes: [UInt8]? { try? parts.items.read { [device] in try $0.syncHead(of: device.bytes) } }

    /// Returns nil if those of one are not at hand.
    private func sealedBytes(of objects: [SealedObject]) -> [StoreObjectName: [UInt8]]? {
        var bytes: [StoreObjectName: [UInt8]] = [:]
        for object in objects {
            guard let sealed = sealedBytes(of: object.name) else { return nil }
            bytes[StoreObjectName(object.name)] = sealed
        }
        return bytes
    }

    func sealedBytes(of name: ObjectName) -> [UInt8]? {
        if let sealed = environment.sealed[name] { return sealed }
        return try? parts.items.read { try $0.syncOutbox(named: StoreObjectName(name).description) }
    }

    func publish(_ head: Head) -> StoreAnswer {
        guard let bytes = headBytes else { return .failed }
        do throws(StoreFailure) {
            replacedHead = try store.publish([:], head: bytes, replacing: replacedHead)
            writeFailure = nil
            return .headWritten(head.number)
        } catch {
            writeFailure = error
            return .failed
        }
    }
}
