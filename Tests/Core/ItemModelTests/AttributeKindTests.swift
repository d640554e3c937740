import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

/// The form of a value in a column: Reference 5.1.
@Suite struct AttributeKindTests {
    private static let table: [(kind: AttributeKind, given: PropertyValue, stored: PropertyValue?)] = [
        (.blob, .data([1]), .data([1])),
        (.blob, .string("x"), .string("x")),
        (.blob, .integer(-5), .integer(-5)),
        (.blob, .boolean(true), nil),
        (.blob, .date(1), nil),
        (.blob, .null, nil),
        (.blob, .array([]), nil),
        (.blob, .reference(kind: "SecKey", bytes: []), nil),
        (.data, .data([1]), .data([1])),
        (.data, .string("é"), .data([0xC3, 0xA9])),
        (.data, .integer(258), .data([2, 1, 0, 0])),
        (.data, .integer(-1), .data([255, 255, 255, 255])),
        (.data, .integer(1 << 31), nil),
        (.data, .boolean(true), nil),
        (.string, .string("x"), .string("x")),
        (.string, .data([0xC3, 0xA9]), .string("é")),
        (.string, .data([0xC3]), nil),
        (.string, .integer(1), nil),
        (.number, .integer(.min), .integer(.min)),
        (.number, .boolean(true), .integer(1)),
        (.number, .boolean(false), .integer(0)),
        (.number, .string("12"), .integer(12)),
        (.number, .string("-12"), .integer(-12)),
        (.number, .string("012"), .string("012")),
        (.number, .string("+12"), .string("+12")),
        (.number, .string("-0"), .string("-0")),
        (.number, .string("9223372036854775808"), .string("9223372036854775808")),
        (.number, .string("htps"), .string("htps")),
        (.number, .string(""), .string("")),
        (.number, .data([1]), nil),
        (.number, .date(1), nil),
        (.date, .date(1), .date(1)),
        (.date, .string("x"), nil),
        (.date, .integer(1), nil),
        (.digest, .data([UInt8](repeating: 3, count: 20)), .data([UInt8](repeating: 3, count: 20))),
        (.digest, .data([]), nil),
        (.digest, .string("x"), nil),
    ]

    @Test("each kind of column takes what it takes", arguments: table)
    func stored(_ row: (kind: AttributeKind, given: PropertyValue, stored: PropertyValue?)) {
        #expect(row.kind.stored(row.given) == row.stored)
    }

    private static let equalRows: [(PropertyValue, PropertyValue)] = [
        (.string("abc"), .data(Array("abc".utf8))), (.integer(7), .string("7")), (.boolean(true), .integer(1)),
        (.string(""), .data([])), (.integer(-3), .data(Array("-3".utf8))),
        (.date(1.000_000_4), .date(1)),
    ]

    @Test("values that search alike have the same canonical bytes", arguments: equalRows)
    func equal(_ left: PropertyValue, _ right: PropertyValue) {
        #expect(AttributeKind.canonicalBytes(of: left) == AttributeKind.canonicalBytes(of: right))
    }

    private static let differentRows: [(PropertyValue, PropertyValue)] = [
        (.string("a"), .string("A")), (.string("\u{E9}"), .string("e\u{301}")), (.string("a"), .string("a ")),
        (.integer(7), .string("07")), (.date(1), .date(1.000_001)), (.string("ab"), .string("a")),
    ]

    @Test("searches fold no case, normalise nothing and know no prefix", arguments: differentRows)
    func different(_ left: PropertyValue, _ right: PropertyValue) {
        #expect(AttributeKind.canonicalBytes(of: left) != AttributeKind.canonicalBytes(of: right))
    }

    private static let momentsRows: [(seconds: Double, microseconds: Int64)] = [
        (0, 0), (1.5, 1_500_000), (-0.000_001, -1), (.infinity, .max), (-.infinity, .min), (.nan, .max),
        (1e300, .max), (-1e300, .min), (8.9e12, 8_900_000_000_000_000_000),
    ]

    @Test("a date that no clock shows does not trap", arguments: momentsRows)
    func moments(_ row: (seconds: Double, microseconds: Int64)) {
        #expect(AttributeKind.microseconds(row.seconds) == row.microseconds)
    }
}
