import LatchkeyEncoding
import Testing

@Suite("Hexadecimal digits")
struct HexadecimalTests {
    @Test(
        "are pairs of digits and nothing else",
        arguments: [
            ("", []), ("00", [0]), ("0aFf", [0x0A, 0xFF]), ("0", nil), ("+f", nil), ("-1", nil), ("0x", nil),
            ("g0", nil),
            (" 0", nil), ("０0", nil),
        ] as [(String, [UInt8]?)])
    func read(_ text: String, _ bytes: [UInt8]?) {
        #expect(Hexadecimal.bytes(from: text.utf8) == bytes)
    }

    @Test("are small, two for each byte")
    func written() {
        let all = (UInt8.min...UInt8.max).map { $0 }
        #expect(Hexadecimal.text(all).hasPrefix("000102030405060708090a0b0c0d0e0f10"))
        #expect(Hexadecimal.bytes(from: Hexadecimal.text(all).utf8) == all)
    }
}
