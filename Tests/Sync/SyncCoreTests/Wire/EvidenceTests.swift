import Testing

@testable import LatchkeySyncCore

@Suite struct EvidenceTests {
    private static func statement(index: Int, date: Int64) throws -> [UInt8] {
        let statement = try Statement(
            circle: WireSamples.circle, author: .device(WireSamples.device), index: index,
            parents: [WireSamples.hash(0)], date: date, body: .leave(Leave(counted: CountedSegments())))
        return try HashSignatures.sign(statement, keys: .device(WireSamples.keys)).bytes
    }

    private static func segment(_ byte: UInt8, number: UInt64 = 259, zone: ZoneClass = .c) throws -> [UInt8] {
        let header = WireSamples.segment.header
        return try WireSamples.signed(
            SegmentObject(
                header: SegmentObject.Header(
                    circle: header.circle, dot: Dot(StreamIdentifier(WireSamples.device, zone), number),
                    epoch: header.epoch, previous: header.previous, knows: header.knows),
                sealedBody: [UInt8](repeating: byte, count: 100)))
    }

    @Test("two objects of a device for one place are evidence, in either order") func contradictions() throws {
        let pairs = [
            (try Self.statement(index: 3, date: 1), try Self.statement(index: 3, date: 2)),
            (try WireSamples.signed(WireSamples.head(label: 1)), try WireSamples.signed(WireSamples.head(label: 2))),
            (try Self.segment(1), try Self.segment(2)),
        ]
        for (one, other) in pairs {
            let evidence = try Evidence(one, other)
            #expect(evidence.claimedDevice == WireSamples.device)
            #expect(
                try evidence.verify(in: WireSamples.circle, with: WireSamples.keys, by: HashSignatures())
                    == WireSamples.device)
            #expect(try Evidence(other, one) == evidence)
            #expect(try Evidence(parsing: evidence.bytes()) == evidence)
        }
    }

    @Test("objects that an honest device writes are not evidence") func honest() throws {
        let first = try Self.segment(1)
        let others = [
            try Self.segment(1, number: 260), try Self.segment(1, zone: .a), first,
            try WireSamples.signed(WireSamples.head()), try Self.statement(index: 3, date: 1),
        ]
        for other in others {
            #expect(throws: StatementFailure.notContradictory) { try Evidence(first, other) }
        }
        let part = try WireSamples.signed(WireSamples.part)
        #expect(throws: StatementFailure.notStatement(.snapshotPart)) { try Evidence(part, part) }
    }

    @Test("a second signature of one object is not a second object") func signatures() throws {
        let first = try Self.segment(1)
        var resigned = first
        resigned[first.count - 1] ^= 1
        #expect(throws: StatementFailure.notContradictory) { try Evidence(first, resigned) }
    }

    @Test("a forged object proves nothing") func forged() throws {
        var forged = try Self.segment(2)
        forged[forged.count - 1] ^= 1
        let evidence = try Evidence(try Self.segment(1), forged)
        #expect(throws: StatementFailure.badSignature) {
            try evidence.verify(in: WireSamples.circle, with: WireSamples.keys, by: HashSignatures())
        }
    }
}
