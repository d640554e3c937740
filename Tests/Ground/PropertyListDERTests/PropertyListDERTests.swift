import LatchkeyPropertyListDER
import Testing

@Suite struct PropertyListDERTests {
    static let values: [PropertyValue] = [
        .null, .boolean(true), .boolean(false), .integer(0), .integer(127), .integer(128), .integer(-128),
        .integer(-129), .integer(255), .integer(256), .integer(65_535), .integer(.max), .integer(.min),
        .string(""), .string("abc"), .string("žluťoučký 🐎 \u{0}"), .data([]), .data([0, 255]),
        .data([UInt8](repeating: 7, count: 127)), .data([UInt8](repeating: 7, count: 128)),
        .data([UInt8](repeating: 7, count: 255)), .data([UInt8](repeating: 7, count: 256)),
        .data([UInt8](repeating: 7, count: 70_000)), .date(0), .date(1.5), .date(-1), .date(800_000_000.123456),
        .array([]), .array([.null, .array([.integer(1)])]), .dictionary([:]),
        .dictionary(["b": .integer(1), "a": .integer(2), "ab": .string("x"), "B": .data([1])]),
        .secret(0), .secret(300), .reference(kind: "SecAccessControl", bytes: [1, 2, 3]),
    ]

    @Test("what was encoded decodes to itself", arguments: values)
    func roundTrip(_ value: PropertyValue) throws {
        let bytes = DERWriter.encode(value)
        #expect(try DERReader.decode(bytes) == value)
        #expect(DERWriter.encode(try DERReader.decode(bytes)) == bytes)
    }

    static let encodings: [(PropertyValue, [UInt8])] = [
        (.null, [0x05, 0x00]),
        // True is 1, as Apple writes it.
        (.boolean(true), [0x01, 0x01, 0x01]), (.boolean(false), [0x01, 0x01, 0x00]),
        (.integer(0), [0x02, 0x01, 0x00]), (.integer(128), [0x02, 0x02, 0x00, 0x80]),
        (.integer(-128), [0x02, 0x01, 0x80]), (.integer(-129), [0x02, 0x02, 0xFF, 0x7F]),
        (.string("a"), [0x0C, 0x01, 0x61]), (.data([9]), [0x04, 0x01, 0x09]),
        (.array([.null]), [0x30, 0x02, 0x05, 0x00]),
        (.date(0), [0x18, 0x0F] + Array("20010101000000Z".utf8)),
        (.date(0.5), [0x18, 0x11] + Array("20010101000000.5Z".utf8)),
        // Elements in the order of their bytes, the shorter first.
        (
            .dictionary(["b": .null, "a": .null, "aa": .null]),
            [
                0x31, 22, 0x30, 5, 0x0C, 1, 0x61, 5, 0, 0x30, 5, 0x0C, 1, 0x62, 5, 0, 0x30, 6, 0x0C, 2, 0x61, 0x61,
                5, 0,
            ]
        ),
    ]

    @Test("values have exactly these bytes", arguments: encodings)
    func exactBytes(_ value: PropertyValue, _ bytes: [UInt8]) {
        #expect(DERWriter.encode(value) == bytes)
    }

    static let refused: [([UInt8], DERFailure)] = [
        ([], .truncated), ([0x02], .truncated), ([0x02, 0x01], .truncated), ([0x0C, 0x02, 0x61], .truncated),
        ([0x05, 0x00, 0x00], .trailingBytes),
        ([0x04, 0x81, 0x05, 1, 2, 3, 4, 5], .lengthNotMinimal), ([0x04, 0x82, 0x00, 0x80], .lengthNotMinimal),
        ([0x04, 0x80], .lengthNotMinimal), ([0x04, 0x85, 0, 0, 0, 0, 1, 0], .lengthNotMinimal),
        ([0x04, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], .truncated), ([0x04, 0x82, 0x01], .truncated),
        ([0x1E, 0x00], .unknownTag(0x1E)), ([0x01, 0x02, 0x00, 0x00], .badBoolean), ([0x01, 0x00], .badBoolean),
        ([0x02, 0x02, 0x00, 0x01], .integerNotMinimal), ([0x02, 0x02, 0xFF, 0xFF], .integerNotMinimal),
        ([0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0], .integerOutOfRange), ([0x02, 0x00], .truncated),
        ([0x0C, 0x01, 0xFF], .textNotUTF8), ([0x0C, 0x02, 0xC0, 0x80], .textNotUTF8),
        ([0x31, 0x06, 0x30, 0x04, 0x02, 0x00, 0x05, 0x00], .truncated),
        ([0x31, 0x07, 0x30, 0x05, 0x02, 0x01, 0x01, 0x05, 0x00], .keyNotText),
        (
            [0x31, 14, 0x30, 5, 0x0C, 1, 0x61, 5, 0, 0x30, 5, 0x0C, 1, 0x61, 5, 0], .duplicateKey
        ),
        (
            [0x31, 14, 0x30, 5, 0x0C, 1, 0x62, 5, 0, 0x30, 5, 0x0C, 1, 0x61, 5, 0], .keysNotSorted
        ),
        ([0x31, 0x09, 0x30, 0x07, 0x0C, 0x01, 0x61, 0x05, 0x00, 0x05, 0x00], .trailingBytes),
        ([0x61, 0x02, 0x05, 0x00], .badReference), ([0x40, 0x01, 0xFF], .integerOutOfRange),
        ([0x05, 0x01, 0x00], .truncated),
    ]

    @Test("bytes that are not strict DER are refused with the reason", arguments: refused)
    func strictness(_ bytes: [UInt8], _ failure: DERFailure) {
        #expect(throws: failure) { _ = try DERReader.decode(bytes) }
    }

    @Test("a dictionary is written from pairs in any order, and read pair by pair")
    func pairs() throws {
        let pairs: [(String, PropertyValue)] = [("b", .null), ("aa", .dictionary(["c": .null])), ("a", .integer(1))]
        let bytes = DERWriter.encodeDictionary { add in
            for (key, value) in pairs { add(key, value) }
        }
        #expect(bytes == DERWriter.encode(.dictionary(Dictionary(uniqueKeysWithValues: pairs))))
        var found: [String] = []
        try unsafe bytes.withUnsafeBytes { buffer in
            try unsafe DERReader.decodeDictionary(buffer) { key, value in
                found.append(key)
                #expect(pairs.contains { $0 == key && $1 == value })
            }
        }
        #expect(found == ["b", "a", "aa"])
    }

    @Test("what no dictionary can be is refused pair by pair, too", arguments: refused.filter { $0.0.first == 0x31 })
    func strictPairs(_ bytes: [UInt8], _ failure: DERFailure) {
        #expect(throws: failure) {
            var keys: Set<String> = []
            try unsafe bytes.withUnsafeBytes { buffer in
                try unsafe DERReader.decodeDictionary(buffer) { key, _ throws(DERFailure) in
                    guard keys.insert(key).inserted else { throw .duplicateKey }
                }
            }
        }
    }

    @Test("any value but zero is true", arguments: [1, 2, 0x7F, 0xFF] as [UInt8])
    func lenientBoolean(_ byte: UInt8) throws {
        #expect(try DERReader.decode([0x01, 0x01, byte]) == .boolean(true))
    }

    @Test(
        "dates that do not exist are refused",
        arguments: [
            "20010229000000Z", "20010431000000Z", "20011301000000Z", "20010001000000Z", "20010100000000Z",
            "20010101240000Z", "20010101006000Z", "20010101000060Z", "20010101000000", "20010101000000.Z",
            "20010101000000.50Z", "20010101000000,5Z", "2001010100000aZ", "200101010000Z", "20010101000000+0100",
            "19000229000000Z", "",
        ])
    func badDates(_ text: String) {
        let bytes = [0x18, UInt8(text.utf8.count)] + Array(text.utf8)
        #expect(throws: DERFailure.badDate) { _ = try DERReader.decode(bytes) }
    }

    static let dates: [(String, Double)] = [
        ("20010101000000Z", 0), ("20000229120000Z", -26_481_600), ("19700101000000Z", -978_307_200),
        ("20240229235959.999999Z", 730_943_999.999999), ("00000101000000Z", -63_145_526_400),
        ("99991231235959Z", 252_423_993_599),
    ]

    @Test("dates are seconds since 2001", arguments: dates)
    func calendar(_ text: String, _ seconds: Double) throws {
        let bytes = [0x18, UInt8(text.utf8.count)] + Array(text.utf8)
        #expect(try DERReader.decode(bytes) == .date(seconds))
        #expect(DERWriter.encode(.date(seconds)) == bytes)
    }

    @Test(
        "dates beyond the calendar are cut to it, not wrapped",
        arguments: [
            (Double.infinity, "99991231235959"), (1e300, "99991231235959"), (252_423_993_600, "99991231235959"),
            (-.infinity, "00000101000000"), (-1e300, "00000101000000"), (.nan, "20010101000000"),
        ])
    func extremeDates(_ seconds: Double, _ text: String) throws {
        let bytes = DERWriter.encode(.date(seconds))
        #expect(bytes.dropFirst(2).starts(with: text.utf8))
        guard case .date = try DERReader.decode(bytes) else {
            Issue.record("a cut date does not decode")
            return
        }
    }

    @Test("every day of four centuries survives the calendar") func everyDay() throws {
        for day in -73_100...73_100 {
            let value = PropertyValue.date(Double(day) * 86_400)
            guard try DERReader.decode(DERWriter.encode(value)) == value else {
                Issue.record("day \(day)")
                return
            }
        }
    }

    @Test("nesting and number of values are limited") func limits() {
        func nested(_ depth: Int) -> [UInt8] {
            DERWriter.encode((0..<depth).reduce(PropertyValue.null) { value, _ in .array([value]) })
        }
        let limits = DERReader.Limits(depth: 4, values: 10)
        #expect(throws: Never.self) { _ = try DERReader.decode(nested(4), limits: limits) }
        #expect(throws: DERFailure.tooDeep(limit: 4)) { _ = try DERReader.decode(nested(5), limits: limits) }
        let many = DERWriter.encode(.array([PropertyValue](repeating: .null, count: 10)))
        #expect(throws: DERFailure.tooManyValues(limit: 10)) { _ = try DERReader.decode(many, limits: limits) }
        #expect(throws: DERFailure.tooDeep(limit: 16)) { _ = try DERReader.decode(nested(2000)) }
    }

    @Test("mutated encodings never crash, and what decodes encodes to the same bytes", arguments: 0..<16)
    func mutations(seed: UInt64) {
        var generator = Generator(state: seed &+ 1)
        let whole = DERWriter.encode(.array(Self.values.filter { DERWriter.encode($0).count < 300 }))
        for _ in 0..<2000 {
            var bytes = whole
            for _ in 0...Int(generator.next() % 4) {
                let place = Int(generator.next() % UInt64(bytes.count))
                switch generator.next() % 3 {
                case 0: bytes[place] = UInt8(truncatingIfNeeded: generator.next())
                case 1: bytes.remove(at: place)
                default: bytes.insert(UInt8(truncatingIfNeeded: generator.next()), at: place)
                }
            }
            guard let value = try? DERReader.decode(bytes) else { continue }
            // Booleans and digits beyond the microsecond are the only things read leniently; a second pass is exact.
            let again = DERWriter.encode(value)
            #expect((try? DERReader.decode(again)) == value, "seed \(seed)")
        }
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}
