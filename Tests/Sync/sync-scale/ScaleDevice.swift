import LatchkeySyncCore

/// A device: the real replica over a table that has numbers for contents.
final class ScaleDevice {
    let number: Int
    let identifier: DeviceIdentifier
    var replica: SyncReplica
    var isOnline = true
    var isUnlocked = true
    var wakesAt: UInt64?
    var isHinted = false
    var nextHint: UInt64 = 0
    /// The contents of the rows, by name.
    var rows: [ItemName: UInt32] = [:]
    var names: [ItemName] = []
    var lastSeal: UInt64 = 0
    private var clock = DeviceClock()
    /// The sealed objects that the store was not given yet, or may be given again.
    var headers: [ObjectHash: ScaleStore.Stored] = [:]
    var transactions: UInt64 = 0
    var rowsWritten: UInt64 = 0
    /// Versions that lost, and deleted ones.
    var keptVersions = 0
    var alarms: Set<SyncAlarm> = []
    var count = StoreCount()
    /// The heads that the store showed last: they are not read again.
    var shownHeads: [DeviceIdentifier: UInt64] = [:]

    init(number: Int, isFounder: Bool) {
        self.number = number
        identifier = .numbered(UInt64(number + 1))
        let state = ReplicaState(device: identifier, hasJoined: isFounder)
        replica = SyncReplica(state, limits: .quickStore)
    }

    /// The change with its version, as the transaction of a call makes it.
    func stamped(_ change: LocalChange, wallClock: UInt64) -> StampedChange {
        let clock = makeVersions(1, in: .first, wallClock: wallClock)?.first
        return StampedChange(change, clock.map { .made($0) } ?? .awaitsEpoch(after: .first))
    }

    func makeVersions(_ count: Int, in epoch: EpochNumber, wallClock: UInt64) -> [DeviceClock]? {
        clock.advance(to: replica.state.clock)
        return versionsOfNow(count, in: epoch, wallClock: wallClock)
    }

    func versionsOfNow(_ count: Int, in epoch: EpochNumber, wallClock: UInt64) -> [DeviceClock]? {
        clock.next(count, in: epoch, wallClock: wallClock)
    }
}

/// Contents and sealed objects of all devices.
final class ScaleWorld {
    struct Content {
        let dates: ItemDates
        let zone: ZoneClass
    }

    var contents: [Content] = []
    /// The records of sealed objects, and for parts of snapshots their dots.
    var sealed: [ObjectHash: (records: [SyncRecord], dots: [Dot])] = [:]

    func add(_ zone: ZoneClass, at wall: UInt64) -> UInt32 {
        contents.append(Content(dates: ItemDates(created: wall, modified: wall), zone: zone))
        return UInt32(contents.count - 1)
    }

    func content(_ number: UInt32, place: ContentPlace = .row) -> ItemContent {
        let content = contents[Int(number)]
        return ItemContent(
            digest: ObjectHash(words: (UInt64(number) &* 0x9E37_79B9_7F4A_7C15, UInt64(number), 0, 0)),
            dates: content.dates, zone: content.zone, byteCount: ObjectSizes.item, place: place)
    }
}

/// The item table and the keys of a device, as its replica asks for them.
struct ScaleEnvironment: ReplicaEnvironment {
    let device: ScaleDevice
    let world: ScaleWorld
    static let epoch = EpochName(number: .first, hash: ObjectHash(words: (1, 1, 1, 1)))

    func content(of name: ItemName) -> ItemContent? { device.rows[name].map { world.content($0) } }

    var hasCallWithoutName: Bool { false }

    /// The replica is being changed while it asks.
    func makeVersions(
        _ count: Int, in epoch: EpochNumber, after clock: DeviceClock, wallClock: UInt64
    ) -> MadeVersions {
        device.versionsOfNow(count, in: epoch, wallClock: wallClock).map { .made($0) } ?? .needsEpoch
    }

    func seal(_ segment: SegmentDraft) -> ObjectSeal? {
        let seal = keep(segment.records, [], .segment(segment.dot), ObjectSizes.segment(segment))
        device.headers[seal.hash] = .segment(
            SealedSegment(
                dot: segment.dot, epoch: segment.epoch.hash, previous: segment.previous, knows: segment.knows,
                seal: seal))
        return seal
    }

    func seal(_ part: SnapshotPartDraft) -> ObjectSeal? {
        let seal = keep(
            part.entries.map(\.record), part.entries.map(\.dot), part.name, ObjectSizes.part(part))
        device.headers[seal.hash] = .part(
            SealedSnapshotPart(
                device: part.device, number: part.number, part: part.part, epoch: part.epoch.hash,
                vector: part.vector, clock: part.clock, seal: seal))
        return seal
    }

    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash? { nextHash() }

    private func keep(_ records: [SyncRecord], _ dots: [Dot], _ name: ObjectName, _ byteCount: Int) -> ObjectSeal {
        let seal = ObjectSeal(hash: nextHash(), byteCount: byteCount)
        // An opener finds the contents in the records.
        let placed = records.enumerated().map { position, record -> SyncRecord in
            guard case .live(let content) = record.state else { return record }
            let moved = world.content(UInt32(content.digest.words.1), place: .record(position, of: name))
            return SyncRecord(name: record.name, version: record.version, base: record.base, state: .live(moved))
        }
        world.sealed[seal.hash] = (placed, dots)
        return seal
    }

    private func nextHash() -> ObjectHash {
        device.lastSeal += 1
        let word = UInt64(device.number + 1) << 40 | device.lastSeal
        return ObjectHash(words: (word &* 0x9E37_79B9_7F4A_7C15, word, 0, 0))
    }

    func open(_ segment: SealedSegment) throws(OpeningFailure) -> OpenedSegment {
        let (records, _) = try opened(segment.hash)
        return OpenedSegment(epoch: .first, records: records)
    }

    func open(_ part: SealedSnapshotPart) throws(OpeningFailure) -> OpenedSnapshotPart {
        let (records, dots) = try opened(part.seal.hash)
        return OpenedSnapshotPart(
            epoch: .first, entries: zip(records, dots).map { SnapshotEntry(record: $0, dot: $1) })
    }

    private func opened(_ hash: ObjectHash) throws(OpeningFailure) -> ([SyncRecord], [Dot]) {
        guard let object = world.sealed[hash] else { throw .malformed }
        return (object.records, object.dots)
    }

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest? {
        StateDigest(name.words.1 &+ version.time, content.words.0 ^ UInt64(version.count), version.device.words.0, 1)
    }
}

extension Identifier {
    static func numbered(_ number: UInt64) -> Self {
        let words = [number &* 0x9E37_79B9_7F4A_7C15, number]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        guard let identifier = Self(bytes) else { preconditionFailure("16 bytes are an identifier") }
        return identifier
    }
}
