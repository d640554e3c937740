import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// Attributes as a row holds them, before they are sealed.
@Suite struct EncodedAttributesTests {
    private static func attributes(_ bytes: [UInt8]) throws -> [AttributeName: PropertyValue] {
        try unsafe bytes.withUnsafeBytes { try unsafe [AttributeName: PropertyValue](der: $0) }
    }

    private static func set(_ elements: [(String, PropertyValue)]) -> [UInt8] {
        let content = elements.flatMap { DERWriter.element(key: $0, value: DERWriter.encode($1)) }
        return DERWriter.header(tag: 0x31, byteCount: content.count) + content
    }

    @Test("every attribute is read back under its name", arguments: [0, 1, 12, AttributeName.allCases.count])
    func roundTrip(_ count: Int) throws {
        let all = AttributeName.allCases.prefix(count).map { ($0, PropertyValue.string("\($0.rawValue) 1")) }
        let attributes = Dictionary(uniqueKeysWithValues: all)
        let bytes = DERWriter.encode(.dictionary(attributes.byColumn))
        #expect(try Self.attributes(bytes) == attributes)
    }

    private static let refusedRows: [(name: String, bytes: [UInt8], failure: DERFailure)] = [
        ("a key of no attribute", set([("acct", .null), ("zzzz", .null)]), .unknownKey),
        (
            "a key twice, with values of different lengths",
            set([("acct", .null), ("svce", .null), ("acct", .data([1]))]),
            .duplicateKey
        ),
        ("keys in another order", set([("svce", .null), ("acct", .null)]), .keysNotSorted),
        ("a list", DERWriter.encode(.array([])), .unknownTag(0x30)),
        ("nothing", [], .truncated),
        ("more than the dictionary", set([("acct", .null)]) + [0], .trailingBytes),
        ("less than the dictionary", Array(set([("acct", .null)]).dropLast()), .truncated),
    ]

    @Test("bytes that no row can hold are refused", arguments: refusedRows)
    func refused(_ row: (name: String, bytes: [UInt8], failure: DERFailure)) {
        #expect(throws: row.failure) { _ = try Self.attributes(row.bytes) }
    }
}
