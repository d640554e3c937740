import LatchkeySyncCore

/// The item table and sealing of one device. A sealed object has a different hash each time, as with a random nonce.
struct SimulatedEnvironment: ReplicaEnvironment {
    let device: SimulatedDevice

    func content(of name: ItemName) -> ItemContent? {
        let row = device.database.namedRow(name)
        if let row, !device.lockState.opens(row.zone) {
            // The replica cannot know the zone of a row that has changed since: it does not open.
            if device.database.unnamed[name] != nil || device.isUntold(name) { return nil }
            device.violate("locked-stays-locked", "a row of zone \(row.zone) was opened while \(device.lockState)")
        }
        return row?.content
    }

    var hasCallWithoutName: Bool { device.database.hasCallWithoutName }

    func makeVersions(
        _ count: Int, in epoch: EpochNumber, after known: DeviceClock, wallClock: UInt64
    ) -> MadeVersions {
        device.beforeVersions?()
        device.beforeVersions = nil
        var clock = max(device.database.state.clock, known)
        let clocks = clock.next(count, in: epoch, wallClock: wallClock)
        device.database.state.apply(.clock(clock))
        return clocks.map { .made($0) } ?? .needsEpoch
    }

    // MARK: Sealing

    func seal(_ segment: SegmentDraft) -> ObjectSeal? {
        guard mayUse(segment.epoch.hash, "a segment") else { return nil }
        for record in segment.records where !device.lockState.opens(record.zone) {
            device.violate(
                "locked-stays-locked", "a segment of zone \(record.zone) was sealed while \(device.lockState)")
        }
        let seal = ObjectSeal(
            hash: nextHash(2), byteCount: segment.records.reduce(200) { $0 + $1.byteCount })
        let sealed = SealedSegment(
            dot: segment.dot, epoch: segment.epoch.hash, previous: segment.previous, knows: segment.knows, seal: seal)
        return keep(.segment(sealed), segment.epoch, segment.records, [], seal)
    }

    func seal(_ part: SnapshotPartDraft) -> ObjectSeal? {
        guard mayUse(part.epoch.hash, "a snapshot") else { return nil }
        if device.lockState != .unlocked { device.violate("locked-stays-locked", "a snapshot was sealed") }
        let seal = ObjectSeal(
            hash: nextHash(3), byteCount: part.entries.reduce(200) { $0 + $1.record.byteCount })
        let sealed = SealedSnapshotPart(
            device: part.device, number: part.number, part: part.part, epoch: part.epoch.hash, vector: part.vector,
            clock: part.clock, seal: seal)
        return keep(.part(sealed), part.epoch, part.entries.map(\.record), part.entries.map(\.dot), seal)
    }

    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash? {
        device.refuses() ? nil : nextHash(4)
    }

    private func mayUse(_ epoch: ObjectHash, _ what: String) -> Bool {
        if !device.hasKeys(of: epoch) { device.violate("rekey-finishes", "\(what) in an unknown epoch") }
        return !device.refuses()
    }

    private func keep(
        _ header: SimulatedObject.Header, _ epoch: EpochName, _ records: [SyncRecord], _ dots: [Dot], _ seal: ObjectSeal
    ) -> ObjectSeal {
        let secrets = records.map { record -> UInt64? in
            guard case .live(let content) = record.state else { return nil }
            let row = device.row(of: record.name, at: content.place)
            if row?.digest != content.digest || row?.isRight != true {
                device.violate("sealed-as-named", "\(record.name) was sealed with \(String(describing: row))")
            }
            return row?.secret
        }
        let stored = records.map { record -> SyncRecord in
            guard case .live(let content) = record.state else { return record }
            return SyncRecord(
                name: record.name, version: record.version, base: record.base, state: .live(content.inRow))
        }
        device.world.objects[seal.hash] = SimulatedObject(
            header: header, epoch: epoch.number, records: stored, secrets: secrets, dots: dots, known: device.known,
            got: device.got)
        device.sealed.insert(seal.hash)
        return seal
    }

    private func nextHash(_ kind: UInt64) -> ObjectHash {
        device.lastSeal += 1
        return ObjectHash(words: (Self.mix(UInt64(device.number) << 40 | device.lastSeal), kind, 0, 0))
    }

    // MARK: Opening

    func open(_ segment: SealedSegment) throws(OpeningFailure) -> OpenedSegment {
        if !device.received.contains(segment.hash), device.database.state.pending[segment.dot] != segment {
            device.violate("bytes-at-hand", "\(segment.dot) was opened without its bytes")
        }
        let object = try open(segment.hash, segment.epoch)
        return OpenedSegment(epoch: object.epoch, records: object.opened)
    }

    func open(_ part: SealedSnapshotPart) throws(OpeningFailure) -> OpenedSnapshotPart {
        if !device.received.contains(part.seal.hash) {
            device.violate("bytes-at-hand", "\(part.name) was opened without its bytes")
        }
        let object = try open(part.seal.hash, part.epoch)
        let entries = zip(object.opened, object.dots).map { SnapshotEntry(record: $0, dot: $1) }
        return OpenedSnapshotPart(epoch: object.epoch, entries: entries)
    }

    private func open(_ hash: ObjectHash, _ epoch: ObjectHash) throws(OpeningFailure) -> SimulatedObject {
        guard let object = device.world.objects[hash] else { throw .malformed }
        guard device.hasKeys(of: epoch), !device.refuses() else { throw .notYet }
        device.opened[object.name] = zip(object.records, object.secrets).map { record, secret in
            guard case .live(let content) = record.state, let secret else { return nil }
            return SimulatedRow(content: content, secret: secret)
        }
        return object
    }

    // MARK: The digest

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest? {
        guard device.lockState.opens(.c) else { return nil }
        var hasher = TermHasher()
        hasher.add(name.words.0)
        hasher.add(version.time ^ UInt64(version.count) << 48 ^ UInt64(version.epoch.rawValue) << 32)
        hasher.add(version.device.words.0)
        hasher.add(content.words.0)
        return StateDigest(hasher.state, Self.mix(hasher.state), hasher.state ^ 5, Self.mix(hasher.state ^ 9))
    }

    static func mix(_ number: UInt64) -> UInt64 {
        var numbers = SeededNumbers(seed: number)
        return numbers.next()
    }

    private struct TermHasher {
        var state: UInt64 = 7
        mutating func add(_ word: UInt64) { state = SimulatedEnvironment.mix(state ^ word) }
    }
}
