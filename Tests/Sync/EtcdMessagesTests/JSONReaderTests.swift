import Foundation
import LatchkeyEtcdMessages
import LatchkeyTestSupport
import Testing

@Suite("JSON texts of a server")
struct JSONReaderTests {
    private func read(_ text: String) throws(JSONFailure) -> JSONValue {
        try JSONReader.value(of: Array(text.utf8))
    }

    private func text(_ text: String) -> JSONValue { .string(Array(text.utf8)) }

    @Test("are read as what they are")
    func values() throws {
        #expect(try read(" null ") == .null)
        #expect(try read("[true,false]") == .array([.boolean(true), .boolean(false)]))
        #expect(try read("[]") == .array([]))
        #expect(try read("{ }") == .object([]))
        for number in ["0", "-0", "12", "-1.5", "1e9", "1E+9", "0.25e-3", "18446744073709551615"] {
            #expect(try read(number) == .number(number))
        }
        #expect(
            try read("{\"a\":[1,{\"b\":\"\"}],\n\t\"c\" : null}")
                == .object([
                    JSONMember(
                        name: Array("a".utf8),
                        value: .array([.number("1"), .object([JSONMember(name: Array("b".utf8), value: text(""))])])),
                    JSONMember(name: Array("c".utf8), value: .null),
                ]))
        #expect(try read(#""a\"\\\/\b\f\n\r\tÄé😀""#) == text("a\"\\/\u{8}\u{C}\n\r\tÄé😀"))
        #expect(try read(#""\u00e4\uD83D\uDE00""#) == text("ä😀"))
    }

    @Test(
        "are refused if anything is wrong about them",
        arguments: [
            "", " ", "{", "[", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:2}", "nul",
            "tru", "True",
            "01", "-", "1.", ".5", "1e", "+1", "0x1", "NaN", "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
            "\"\\uD83D\"",
            "\"\\uD83Dx\"", "\"\\uDE00\"", "\"\\uD83D\\u0041\"", "\"\n\"", "\"\u{0}\"", "1 2", "{} {}", "[1] x", "'a'",
            "//", "\u{FEFF}1",
        ])
    func refused(_ text: String) {
        #expect(throws: JSONFailure.self) { try read(text) }
    }

    @Test("are refused if a text is not UTF-8")
    func encoding() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONFailure.self) { try JSONReader.value(of: bytes) }
        }
    }

    @Test("have limits of depth and number")
    func limits() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(throws: Never.self) { try read(nested(16)) }
        #expect(throws: JSONFailure.tooDeep) { try read(nested(17)) }
        #expect(throws: JSONFailure.tooDeep) { try read(String(repeating: "{\"a\":", count: 100_000)) }
        var limits = JSONReader.Limits()
        limits.values = 4
        #expect(throws: Never.self) { try JSONReader.value(of: Array("[1,2,3]".utf8), limits: limits) }
        #expect(throws: JSONFailure.tooManyValues) {
            try JSONReader.value(of: Array("[1,2,3,4]".utf8), limits: limits)
        }
    }

    @Test("are read as Foundation reads them, or refused, whatever is changed in them")
    func agreement() throws {
        var random = SplitMix(seed: 7)
        let sample = Array(
            #"{"header":{"revision":"3"},"kvs":[{"key":"YQ==","ok":true},{"n":-1.5e3}],"t":"a\u00e4\n"}"#.utf8)
        var accepted = 0
        for _ in 0..<20_000 {
            var bytes = sample
            for _ in 0...random.next() % 3 {
                let index = Int(random.next() % UInt64(bytes.count))
                switch random.next() % 3 {
                case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
                case 1: bytes.remove(at: index)
                default: bytes.insert(bytes[Int(random.next() % UInt64(bytes.count))], at: index)
                }
            }
            guard (try? JSONReader.value(of: bytes)) != nil else { continue }
            accepted += 1
            let isJSON = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            #expect(isJSON, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(accepted > 1_000)
    }

    @Test("base64 is that of Foundation, and has one text for each value")
    func base64() {
        var random = SplitMix(seed: 8)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            var text: [UInt8] = []
            Base64.append(bytes, to: &text)
            #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
            #expect(Base64.bytes(of: text) == bytes)
        }
        for text in [
            "A", "AA", "AAA", "A===", "AB==", "AAB=", "AA=A", "=AAA", "AA-_", "AA\nA", "AAAA=", "AAAA====", "====",
        ] {
            #expect(Base64.bytes(of: Array(text.utf8)) == nil, "\(text)")
        }
    }
}
