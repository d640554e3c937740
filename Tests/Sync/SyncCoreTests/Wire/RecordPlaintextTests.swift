import Testing

@testable import LatchkeySyncCore

/// The plaintext of segments and of parts of snapshots.
@Suite struct RecordPlaintextTests {
    private static let name = ObjectName.segment(Sample.dot(1, 1))
    private static let secrets: [[UInt8]] = [Array("correct horse".utf8), [], []]

    private static let plain = [
        PlainRecord(
            Sample.live(5, at: Sample.version(9), base: Sample.version(3)), attributes: Array("attributes".utf8),
            secretByteCount: secrets[0].count),
        PlainRecord(Sample.gone(at: Sample.version(10), name: 2)),
        PlainRecord(
            SyncRecord(
                name: Sample.name(3), version: Sample.version(11), base: nil,
                state: .withheld(digest: Sample.hash(7), zone: .a)), dot: Sample.dot(2, 4)),
    ]

    private static func bytes(_ records: [PlainRecord]) throws -> [UInt8] {
        let plaintext = try RecordPlaintext(records)
        let bytes = plaintext.pieces.flatMap { piece -> [UInt8] in
            switch piece {
            case .bytes(let bytes): bytes
            case .secret(let record, let count): Array(secrets[record].prefix(count))
            }
        }
        #expect(bytes.count == plaintext.byteCount)
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) throws -> [PlainRecord] {
        try bytes.withUnsafeBytes { try RecordPlaintext.records(in: $0, of: name) }
    }

    /// The plaintext of three records: live, deleted, and without content.
    static func sample() throws -> [UInt8] { try bytes(plain) }

    @Test("records survive encoding and decoding, and their contents are in the object") func roundTrip() throws {
        let bytes = try Self.bytes(Self.plain)
        let parsed = try Self.parse(bytes)
        #expect(parsed.map(\.dot) == Self.plain.map(\.dot))
        #expect(parsed.map(\.attributes) == Self.plain.map(\.attributes))
        #expect(parsed.map { Array(bytes[$0.secret]) } == Self.secrets)
        #expect(parsed.map(\.record.version) == Self.plain.map(\.record.version))
        #expect(parsed.map(\.record.base) == Self.plain.map(\.record.base))
        #expect(parsed[1].record == Self.plain[1].record && parsed[2].record == Self.plain[2].record)
        guard case .live(let content) = parsed[0].record.state else {
            Issue.record("the record is live")
            return
        }
        #expect(content.place == .record(0, of: Self.name))
        #expect(content.digest == Sample.hash(5) && content.zone == .c && content.byteCount == 10 + 13)
    }

    @Test("cut bytes and further ones are refused") func damage() throws {
        let bytes = try Self.bytes(Self.plain)
        for count in 0..<bytes.count {
            #expect(throws: StatementFailure.self) { try Self.parse(Array(bytes[..<count])) }
        }
        #expect(throws: StatementFailure.object(.trailingBytes(1))) { try Self.parse(bytes + [0]) }
    }

    @Test("lengths beyond the end and too many records are refused before anything is allocated") func lengths() {
        #expect(throws: StatementFailure.object(.truncated)) {
            try Self.parse([0, 1, 0xFF, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 1_018))
        }
        #expect(throws: StatementFailure.tooMany(field: "records", found: 65_535, limit: 16_384)) {
            try Self.parse([0xFF, 0xFF] + [UInt8](repeating: 0, count: 1_022))
        }
    }

    @Test("a tombstone with a secret is malformed") func tombstone() throws {
        let tombstone = PlainRecord(Sample.gone(at: Sample.version(10)), secretByteCount: 5)
        #expect(throws: StatementFailure.badValue(field: "k")) { try Self.parse(Self.bytes([tombstone])) }
    }

    @Test("segments have no dots, and parts of snapshots have them") func dots() throws {
        #expect(throws: StatementFailure.unknownField("d")) {
            try OpenedSegment(epoch: .first, plain: [Self.plain[2]])
        }
        #expect(throws: StatementFailure.missingField("d")) {
            try OpenedSnapshotPart(epoch: .first, plain: [Self.plain[1]])
        }
        #expect(try OpenedSegment(epoch: .first, plain: [Self.plain[1]]).records == [Self.plain[1].record])
    }

    @Test("the estimate of a record's size is not less than its bytes") func estimate() throws {
        for plain in Self.plain {
            let placed = PlainRecord(
                plain.record, dot: Sample.dot(2, 4), attributes: plain.attributes, secret: plain.secret)
            let count = try RecordPlaintext([placed]).byteCount - 2
            let content = plain.attributes.count + plain.secret.count
            #expect(count - content <= 256)
        }
    }
}
