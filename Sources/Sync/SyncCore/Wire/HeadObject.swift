internal import LatchkeyPropertyListDER

/// A head as it is stored.
package struct HeadObject: LoggedContent, Hashable {
    package let circle: CircleIdentifier
    package let device: DeviceIdentifier
    package let number: UInt64
    /// Microseconds since 2001-01-01 00:00:00 UTC, by the clock of the device.
    package let date: UInt64
    package let body: Head.Body
    /// Name and system of the device, sealed. The core does not look into it.
    package let label: [UInt8]

    package init(
        circle: CircleIdentifier, device: DeviceIdentifier, number: UInt64, date: UInt64, body: Head.Body,
        label: [UInt8]
    ) {
        self.circle = circle
        self.device = device
        self.number = number
        self.date = date
        self.body = body
        self.label = label
    }

    package var writer: DeviceIdentifier { device }

    package func content() throws(StatementFailure) -> ObjectContent {
        guard body.statementHeads.count <= ObjectLimits.statementHeads else {
            throw .tooMany(field: "s", found: body.statementHeads.count, limit: ObjectLimits.statementHeads)
        }
        let devices = body.vector.devices
        guard devices.count <= ObjectLimits.devicesInVector else {
            throw .tooMany(field: "v", found: devices.count, limit: ObjectLimits.devicesInVector)
        }
        guard let number = Int64(exactly: number), label.count <= ObjectLimits.labelByteCount else {
            throw .badValue(field: "n")
        }
        var fields: [String: PropertyValue] = [
            "c": .data(circle.bytes), "d": .data(device.bytes), "n": .integer(number),
            "t": .data(date.bigEndianBytes), "s": .array(body.statementHeads.sorted().map { .data($0.bytes) }),
            "a": .data(body.streams.a.bytes), "z": .data(body.streams.c.bytes),
            "v": .array(devices.map { .data(body.entry(of: $0)) }), "k": .data(body.clock.bytes),
            "j": .boolean(body.hasJoined), "l": .data(label),
        ]
        if let digest = body.digest { fields["g"] = .data(digest.bytes) }
        if let snapshot = body.snapshot { fields["p"] = try snapshot.value() }
        return try PropertyListBody.content(.head, fields)
    }

    package init(parsing content: ObjectContent) throws(StatementFailure) {
        var reader = try PropertyListBody.reader(content, .head)
        circle = try reader.identifier("c")
        device = try reader.identifier("d")
        number = try reader.number("n")
        guard number > 0 else { throw .badValue(field: "n") }
        guard let date = UInt64(bigEndianBytes: try reader.data("t")) else { throw .badValue(field: "t") }
        self.date = date
        label = try reader.data("l", limit: ObjectLimits.labelByteCount)
        body = try Head.Body(&reader)
        try reader.finish()
        guard try self.content() == content else { throw .notCanonical }
    }
}

extension VerifiedObject<HeadObject> {
    /// The head as the core takes it.
    package var head: Head {
        Head(device: content.device, number: content.number, date: content.date, body: content.body, hash: hash)
    }
}

extension Head.Body {
    /// Device (16), last segment of zone A (8), of zone C (8), their marks (16 each, zero where it is not known).
    fileprivate func entry(of device: DeviceIdentifier) -> [UInt8] {
        let none = SegmentMark(high: 0, low: 0)
        return vector.entry(of: device) + (marks[StreamIdentifier(device, .a)] ?? none).bytes
            + (marks[StreamIdentifier(device, .c)] ?? none).bytes
    }

    fileprivate init(_ reader: inout FieldReader) throws(StatementFailure) {
        let statementHeads = try reader.hashes("s", limit: ObjectLimits.statementHeads)
        let streams = PerZone(a: try StreamSummary(&reader, "a"), c: try StreamSummary(&reader, "z"))
        var vector = VersionVector()
        var marks = StreamTable<SegmentMark>()
        for bytes in try reader.sortedData("v", limit: ObjectLimits.devicesInVector) {
            guard bytes.count == 64, let device = DeviceIdentifier(bytes[..<16]) else { throw .badValue(field: "v") }
            for (zone, start) in [(ZoneClass.a, 16), (.c, 24)] {
                let stream = StreamIdentifier(device, zone)
                guard let number = UInt64(bigEndianBytes: bytes[start..<start + 8]),
                    let mark = SegmentMark(bytes[(2 * start)..<(2 * start + 16)])
                else { throw .badValue(field: "v") }
                guard number <= ObjectLimits.segmentNumber else { throw .badValue(field: "v") }
                vector[stream] = number
                if number > 0, mark != SegmentMark(high: 0, low: 0) { marks[stream] = mark }
            }
        }
        let digest: StateDigest?
        if let bytes = try reader.optionalData("g") {
            guard let hash = ObjectHash(bytes) else { throw .badValue(field: "g") }
            digest = StateDigest(hash)
        } else {
            digest = nil
        }
        guard let clock = DeviceClock(try reader.data("k")[...]) else { throw .badValue(field: "k") }
        let snapshot = try reader.optional("p").map { value throws(StatementFailure) in
            try SnapshotReference(value)
        }
        self.init(
            statementHeads: statementHeads, streams: streams, snapshot: snapshot, vector: vector, marks: marks,
            digest: digest, clock: clock, hasJoined: try reader.boolean("j"))
    }
}

extension StreamSummary {
    /// First (8), last (8), and the hash of the last (32), if it is known.
    fileprivate var bytes: [UInt8] { first.bigEndianBytes + last.bigEndianBytes + (hash?.bytes ?? []) }

    fileprivate init(_ reader: inout FieldReader, _ key: String) throws(StatementFailure) {
        let bytes = try reader.data(key)
        guard bytes.count == 16 || bytes.count == 48, let first = UInt64(bigEndianBytes: bytes[..<8]),
            let last = UInt64(bigEndianBytes: bytes[8..<16]), first > 0, last <= ObjectLimits.segmentNumber,
            first <= last + 1
        else { throw .badValue(field: key) }
        self.init(first: first, last: last, hash: ObjectHash(bytes[16...]))
    }
}

extension SnapshotReference {
    fileprivate func value() throws(StatementFailure) -> PropertyValue {
        guard let number = Int64(exactly: number), partCount <= ObjectLimits.snapshotParts else {
            throw .tooMany(field: "m", found: partCount, limit: ObjectLimits.snapshotParts)
        }
        return .dictionary([
            "n": .integer(number), "m": .integer(Int64(partCount)), "h": .data(hash.bytes), "v": .data(vector.bytes),
        ])
    }

    fileprivate init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "p")
        let number = try reader.number("n")
        let partCount = Int(truncatingIfNeeded: try reader.number("m"))
        guard number > 0, 1...ObjectLimits.snapshotParts ~= partCount else { throw .badValue(field: "m") }
        let hash = try reader.hash("h")
        let bytes = try reader.data("v")
        try reader.finish()
        do throws(ObjectFailure) {
            self.init(number: number, partCount: partCount, hash: hash, vector: try VersionVector(parsing: bytes))
        } catch {
            throw .object(error)
        }
    }
}

extension StateDigest {
    /// The number, most significant byte first.
    package var bytes: [UInt8] { hash.bytes }
}
