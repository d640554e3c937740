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
                let proved = readEvidence().map { ReplicaEvent.evidence(against: $0) }
                let heads = StoreAnswer.heads(try readHeads())
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

    private func readHeads() throws(StoreFailure) -> [Head] {
        let names = try store.list(.heads).names
        let objects = try store.readAll(names).objects
        // Most heads are those of the last exchange: a signature is verified once.
        var heads = lastHeads.filter { objects[$0.key] == $0.value.bytes }
        for head in heads.values { environment.receive(head.bytes, head.verified.hash) }
        for (name, verified) in verified(objects.filter { heads[$0.key] == nil }, HeadObject.self) {
            heads[name] = objects[name].map { ($0, verified) }
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
            writeFailure = error
            if case .taken(let name) = error, let name = ObjectName(name) { return .taken(name) }
            return .failed
        }
    }

    func sealedBytes(of name: ObjectName) -> [UInt8]? {
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
}
