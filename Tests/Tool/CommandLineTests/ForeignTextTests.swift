import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeyDevice
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("What of a foreign text may be shown")
struct ForeignTextTests {
    private static let hidden: [Unicode.Scalar] = [
        "\0", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{80}", "\u{9B}", "\u{9F}", "\u{AD}", "\u{61C}", "\u{200B}",
        "\u{200E}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}", "\u{FEFF}",
        "\u{E000}", "\u{E0001}", "\u{10FFFF}",
    ]

    @Test(
        "controls, marks of direction and separators are escaped, in JSON so that a parser has them back",
        arguments: hidden)
    func escapes(_ scalar: Unicode.Scalar) {
        let digits = String(scalar.value, radix: 16)
        #expect(PlainText.isHidden(scalar))
        #expect(!PlainText.isShown("a\(scalar)"))
        #expect(PlainText.escaped("a\(scalar)b") == "a\\u{\(digits)}b")
        let kept = ["\n", "\t"].contains(scalar)
        #expect(PlainText.escapedLines("a\(scalar)b") == (kept ? "a\(scalar)b" : "a\\u{\(digits)}b"))
        #expect(JSONWriter.quoted("a\(scalar)b").unicodeScalars.allSatisfy { !PlainText.isHidden($0) })
        let secret = SecretText.escapedForJSON(SecretBox("a\(scalar)b"))
        #expect(secret.text.unicodeScalars.allSatisfy { !PlainText.isHidden($0) })
        #expect(!SecretText.canBeListed(SecretBox("a\(scalar)b")))
        #expect(!SecretText.canBeListed(SecretBox("a\(scalar)b")))
    }

    @Test("other text stays as it is", arguments: ["", "päss wörd", "مفتاح", "鍵 🔑", "\\u{1b}", "a\u{301}"])
    func kept(_ text: String) {
        #expect(PlainText.isShown(text))
        #expect(PlainText.escaped(text) == text && PlainText.escapedLines(text) == text)
        #expect(SecretText.canBeListed(SecretBox(text)))
    }

    @Test("a character beyond the first plane is two escapes in JSON")
    func surrogates() {
        #expect(PlainText.jsonEscape("\u{E0001}") == "\\udb40\\udc01")
        #expect(PlainText.jsonEscape("\u{9B}") == "\\u009b")
        #expect(PlainText.jsonEscape("a") == nil)
    }

    private static let hostile = "x\n2026-11-22T06:30:00Z  find\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}\u{2028}y"
    private static let escaped =
        "x\\u{a}2026-11-22T06:30:00Z  find\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}\\u{2028}y"

    @Test("a refusal as it is explained has one line for each of its parts, whatever the parts are")
    func explained() {
        let record = RefusalRecord(
            time: 0, caller: Self.hostile, application: "A" + Self.hostile, level: .c, operation: Self.hostile,
            itemClass: Self.hostile, accessGroup: Self.hostile, lockState: Self.hostile, code: .param,
            refusal: Refusal(ruleName: Self.hostile, reason: Self.hostile, advice: Self.hostile))
        let lines = ExplainCommand.text(record).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 9)
        #expect(lines[0] == "2001-01-01T00:00:00Z  \(Self.escaped)")
        #expect(lines[1] == "  caller  \(Self.escaped) (level C, A\(Self.escaped))")
        #expect(lines[8] == "  do      \(Self.escaped)")
    }

    @Test("an error has one line for each of its parts")
    func errors() {
        let failure = CommandFailure(.failure, Self.hostile, why: Self.hostile, advice: Self.hostile)
        #expect(failure.text == "latchkey: \(Self.escaped)\n  why: \(Self.escaped)\n  do:  \(Self.escaped)\n")
    }

    @Test("an event of a daemon is one line of its log")
    func logLine() {
        #expect(ProgramLog(program: "latchkeyd").text(Self.hostile) == "latchkeyd: " + Self.escaped)
    }
}
