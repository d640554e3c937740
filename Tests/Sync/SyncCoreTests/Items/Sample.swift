import LatchkeySyncCore

/// Values of the item layer for tests.
enum Sample {
    static func device(_ number: UInt8) -> DeviceIdentifier { identifier(number) }
    static func name(_ number: UInt8) -> ItemName { identifier(number) }

    static func identifier<Subject>(_ number: UInt8) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>([UInt8](repeating: number, count: 16)) else {
            preconditionFailure("16 bytes are an identifier")
        }
        return identifier
    }

    static func version(_ time: UInt64, epoch: UInt32 = 1, count: UInt32 = 0, by device: UInt8 = 1) -> ItemVersion {
        ItemVersion(epoch: EpochNumber(epoch), time: time, count: count, device: Self.device(device))
    }

    static func hash(_ number: UInt64) -> ObjectHash { ObjectHash(words: (number, 0, 0, 0)) }

    static func content(_ number: UInt64, zone: ZoneClass = .c, modified: UInt64 = 0) -> ItemContent {
        ItemContent(
            digest: hash(number), dates: ItemDates(created: 0, modified: modified), zone: zone, byteCount: 10)
    }

    static func dot(_ device: UInt8, _ number: UInt64, zone: ZoneClass = .c) -> Dot {
        Dot(StreamIdentifier(Self.device(device), zone), number)
    }

    static func live(
        _ content: UInt64, at version: ItemVersion, base: ItemVersion? = nil, zone: ZoneClass = .c, name: UInt8 = 1
    ) -> SyncRecord {
        SyncRecord(
            name: Self.name(name), version: version, base: base, state: .live(Self.content(content, zone: zone)))
    }

    static func gone(at version: ItemVersion, base: ItemVersion? = nil, name: UInt8 = 1) -> SyncRecord {
        SyncRecord(name: Self.name(name), version: version, base: base, state: .gone)
    }
}

/// A segment with its records, as another device wrote it.
struct SampleSegment {
    let sealed: SealedSegment
    let opened: OpenedSegment
    var dot: Dot { sealed.dot }

    /// The records as an opener finds them.
    static func placed(_ records: [SyncRecord], in name: ObjectName) -> [SyncRecord] {
        records.enumerated().map { position, record in
            guard case .live(let content) = record.state else { return record }
            let placed = ItemContent(
                digest: content.digest, dates: content.dates, zone: content.zone, byteCount: content.byteCount,
                place: .record(position, of: name))
            return SyncRecord(name: record.name, version: record.version, base: record.base, state: .live(placed))
        }
    }
}

/// A snapshot with its records, one list for each part.
struct SampleSnapshot {
    let parts: [SealedSnapshotPart]
    let opened: [OpenedSnapshotPart]
    let reference: SnapshotReference

    init(
        _ device: UInt8, number: UInt64 = 1, vector: VersionVector, clock: DeviceClock = DeviceClock(),
        parts entries: [[SnapshotEntry]], salt: UInt64 = 0
    ) {
        let device = Sample.device(device)
        parts = entries.indices.map { part in
            SealedSnapshotPart(
                device: device, number: number, part: part, epoch: Sample.hash(1), vector: vector, clock: clock,
                seal: ObjectSeal(hash: ObjectHash(words: (number, UInt64(part), salt, 40)), byteCount: 1_000))
        }
        opened = zip(parts, entries).map { part, entries in
            let records = SampleSegment.placed(entries.map(\.record), in: part.name)
            return OpenedSnapshotPart(
                epoch: .first, entries: zip(records, entries).map { SnapshotEntry(record: $0, dot: $1.dot) })
        }
        reference = SnapshotReference(number: number, parts: parts.map(\.seal.hash), vector: vector)
    }
}
