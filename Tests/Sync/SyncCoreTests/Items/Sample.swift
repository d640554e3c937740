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
            digest: hash(number), payload: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 10),
            dates: ItemDates(created: 0, modified: modified), zone: zone)
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
