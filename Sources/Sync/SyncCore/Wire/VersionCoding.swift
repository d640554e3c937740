// The fixed encodings of versions, clocks and vectors: in objects and in tables (Docs/Formats/sync.md).

extension ItemVersion {
    /// Epoch (4), time (8), count (4), device (16): in the order of versions.
    package var bytes: [UInt8] {
        epoch.rawValue.bigEndianBytes + time.bigEndianBytes + count.bigEndianBytes + device.bytes
    }

    /// Returns nil unless there are ``byteCount`` bytes and an epoch number.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let clock = DeviceClock(bytes.prefix(DeviceClock.byteCount)),
            let device = DeviceIdentifier(bytes.dropFirst(DeviceClock.byteCount))
        else { return nil }
        self.init(epoch: clock.epoch, time: clock.time, count: clock.count, device: device)
    }

    package init?(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }
}

extension DeviceClock {
    package static let byteCount = 16

    /// Epoch (4), time (8), count (4).
    package var bytes: [UInt8] { epoch.rawValue.bigEndianBytes + time.bigEndianBytes + count.bigEndianBytes }

    /// Returns nil unless there are ``byteCount`` bytes and an epoch number.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard let epoch = UInt32(bigEndianBytes: bytes.prefix(4)), epoch >= EpochNumber.first.rawValue,
            let time = UInt64(bigEndianBytes: bytes.dropFirst(4).prefix(8)),
            let count = UInt32(bigEndianBytes: bytes.dropFirst(12))
        else { return nil }
        self.init(epoch: EpochNumber(epoch), time: time, count: count)
    }
}

extension Dot {
    package static let byteCount = 25

    /// Device (16), zone (1), number (8).
    package var bytes: [UInt8] { stream.device.bytes + [stream.zone.rawValue] + number.bigEndianBytes }

    /// Returns nil unless there are ``byteCount`` bytes, a zone and a number.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(bytes)
        guard let device: DeviceIdentifier = try? reader.identifier(),
            let zone = (try? reader.number(UInt8.self)).flatMap(ZoneClass.init(rawValue:)),
            let number = try? reader.number(UInt64.self), 1...ObjectLimits.segmentNumber ~= number
        else { return nil }
        self.init(StreamIdentifier(device, zone), number)
    }
}

extension ItemDates {
    package static let byteCount = 16

    /// Created (8), modified (8).
    package var bytes: [UInt8] { created.bigEndianBytes + modified.bigEndianBytes }

    /// Returns nil unless there are ``byteCount`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        var reader = ByteReader(bytes)
        guard let created = try? reader.number(UInt64.self), let modified = try? reader.number(UInt64.self) else {
            return nil
        }
        self.init(created: created, modified: modified)
    }
}

extension VersionVector {
    private static let entryByteCount = 32

    /// The number of devices (2), and per device, in ascending order: device (16), last segment of zone A (8), of zone C (8).
    package var bytes: [UInt8] {
        let devices = devices
        return UInt16(truncatingIfNeeded: devices.count).bigEndianBytes + devices.flatMap(entry)
    }

    func entry(of device: DeviceIdentifier) -> [UInt8] {
        device.bytes + self[StreamIdentifier(device, .a)].bigEndianBytes
            + self[StreamIdentifier(device, .c)].bigEndianBytes
    }

    /// Reads what ``bytes`` wrote. Devices without segments, and those out of order, are refused.
    init(_ reader: inout ByteReader) throws(ObjectFailure) {
        let count = Int(try reader.number(UInt16.self))
        guard count <= ObjectLimits.devicesInVector else {
            throw .tooLarge(found: count, limit: ObjectLimits.devicesInVector)
        }
        guard count * Self.entryByteCount <= reader.count else { throw .truncated }
        self.init()
        var last: DeviceIdentifier?
        for _ in 0..<count {
            let device: DeviceIdentifier = try reader.identifier()
            guard last.map({ $0 < device }) ?? true else { throw .notCanonical }
            last = device
            let numbers = PerZone(a: try reader.number(UInt64.self), c: try reader.number(UInt64.self))
            guard numbers.a > 0 || numbers.c > 0, max(numbers.a, numbers.c) <= ObjectLimits.segmentNumber else {
                throw .notCanonical
            }
            self[StreamIdentifier(device, .a)] = numbers.a
            self[StreamIdentifier(device, .c)] = numbers.c
        }
    }

    /// Reads a vector that fills `bytes`.
    package init(parsing bytes: [UInt8]) throws(ObjectFailure) {
        var reader = ByteReader(bytes)
        try self.init(&reader)
        try reader.finish()
    }

    /// Throws ``ObjectFailure/tooLarge(found:limit:)`` if a vector cannot be written.
    func checkLimit() throws(ObjectFailure) {
        let count = devices.count
        guard count <= ObjectLimits.devicesInVector else {
            throw .tooLarge(found: count, limit: ObjectLimits.devicesInVector)
        }
    }
}
