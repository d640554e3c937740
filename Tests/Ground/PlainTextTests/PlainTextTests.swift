import LatchkeyPlainText
import Testing

@Suite("Foreign text for a terminal, a prompt or a log") struct PlainTextTests {
    private static let hidden: [Unicode.Scalar] = [
        "\0", "\n", "\r", "\t", "\u{1B}", "\u{1F}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{AD}", "\u{61C}",
        "\u{200B}", "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}",
        "\u{FEFF}", "\u{E000}", "\u{E0001}", "\u{10FFFF}",
    ]

    @Test("has controls, marks of direction and separators escaped", arguments: hidden)
    func escapes(_ scalar: Unicode.Scalar) {
        let digits = String(scalar.value, radix: 16)
        #expect(PlainText.isHidden(scalar) && !PlainText.isShown("a\(scalar)"))
        #expect(PlainText.escaped("a\(scalar)b\(scalar)") == "a\\u{\(digits)}b\\u{\(digits)}")
        let kept = ["\n", "\t"].contains(scalar)
        #expect(PlainText.escapedLines("a\(scalar)b") == (kept ? "a\(scalar)b" : "a\\u{\(digits)}b"))
    }

    @Test(
        "stays as it is otherwise", arguments: ["", " ~", "päss wörd", "مفتاح", "鍵 🔑", "\\u{1b}", "a\u{301}", "\u{A0}"])
    func kept(_ text: String) {
        #expect(PlainText.isShown(text))
        #expect(PlainText.escaped(text) == text && PlainText.escapedLines(text) == text)
    }

    @Test(
        "has four digits for each unit of an escape in JSON",
        arguments: [
            ("a", nil), ("\"", nil), ("\0", "\\u0000"), ("\u{9B}", "\\u009b"), ("\u{202E}", "\\u202e"),
            ("\u{E0001}", "\\udb40\\udc01"), ("\u{10FFFF}", "\\udbff\\udfff"),
        ] as [(Unicode.Scalar, String?)])
    func json(_ scalar: Unicode.Scalar, _ escape: String?) {
        #expect(PlainText.jsonEscape(scalar) == escape)
    }

    @Test(
        "is cut between characters, with an ellipsis",
        arguments: [
            ("", 0, ""), ("abc", 3, "abc"), ("abc", 2, "ab…"), ("abc", 0, "…"), ("aé", 2, "a…"), ("aé", 3, "aé"),
            ("🔑b", 3, "…"), ("🔑b", 4, "🔑…"),
        ])
    func cut(_ text: String, _ byteLimit: Int, _ result: String) {
        #expect(PlainText.cut(text, to: byteLimit) == result)
    }
}
