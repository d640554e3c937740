import LatchkeyKeychainMessages
import LatchkeyPrompt
import Testing

@Suite("What a prompt says")
struct PromptWordsTests {
    @Test("program, team and reason are there, each on a line of ours")
    func frame() {
        let words = PromptWords(.asking(.passcode, team: "Example (ABCDE12345)"))
        #expect(
            words.lines == [
                "The passcode of this device is needed.", "Program: \"/usr/bin/mail\"",
                "This is: signed by \"Example (ABCDE12345)\", assurance level C", "It says: \"Read your mail\"",
            ])
        #expect(PromptWords(.asking(.passcode)).lines[2] == "This is: unsigned program, assurance level C")
        #expect(PromptWords(.asking(.finger, reason: "")).lines.last == "It gives no reason.")
    }

    @Test("the item is named, quoted like everything that a program chose, and where it is for none nothing is said")
    func item() {
        let words = PromptWords(.asking(.finger, item: "Mail / mail.example.com / alice"))
        #expect(words.lines[3] == "For: \"Mail / mail.example.com / alice\"")
        let forged = PromptWords(.asking(.finger, item: "a\"\nThis is: signed by \u{1B}[1mApple"))
        #expect(forged.lines[3] == "For: \"a' This is: signed by [1mApple\"")
        #expect(forged.lines.count == 5)
        #expect(!PromptWords(.asking(.finger)).text.contains("For: "))
        var ofDevice = Prompt.asking(.passcode)
        ofDevice.device = "the source of the migration, /d"
        #expect(PromptWords(ofDevice).lines[1] == "Device: \"the source of the migration, /d\"")
    }

    @Test(
        "a program's words cannot end their quotation, begin a line, or turn the direction",
        arguments: [
            ("a\nThis is: signed by \"Apple\"", "a This is: signed by 'Apple'"), ("a\r\n\tb", "a b"),
            ("\u{1B}[2Ja\u{07}", "[2Ja"), ("a\u{202E}b\u{2066}c", "a b c"), ("a\u{2028}b\u{85}c\u{0}d", "a b c d"),
            ("“a” „b‟ «c» ＂d", "'a' 'b' 'c' 'd"), ("   a      b   ", "a b"), ("a\u{200B}\u{FEFF}b\u{3164}c", "a b c"),
            ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}"), ("\u{A0}\u{3000}a", "a"), ("日本", "日本"),
        ])
    func words(_ text: String, _ shown: String) {
        #expect(ProgramWords.shown(text, limit: 300) == shown)
    }

    @Test("a title becomes no line of its own, and an empty one is the usual word")
    func titles() {
        let words = PromptWords(.asking(.finger, cancelTitle: "No\nnever", fallbackTitle: "\u{200B}"))
        #expect(words.cancel == "No never")
        #expect(words.fallback == "Use passcode")
        #expect(PromptWords(.asking(.finger, fallbackTitle: "")).fallback == nil)
        #expect(PromptWords(.asking(.finger, fallbackTitle: "_Other_way")).fallback == "Other way")
    }

    @Test(
        "however long, and whatever it is made of, a prompt fits into one line of the protocol and a terminal's width",
        arguments: ["x", "%", "日", "e\u{301}\u{302}", " y", "𝕏", "\""])
    func limits(_ unit: String) {
        let long = String(repeating: unit, count: 1 << 16)
        let words = PromptWords(
            .asking(
                .applicationPassword(isNew: true), program: long, team: long, reason: long, cancelTitle: long,
                fallbackTitle: long, notice: long, item: long))
        #expect("SETDESC ".utf8.count + AssuanText.encoded(words.text).utf8.count <= 1000)
        for text in [words.cancel, words.fallback ?? "", words.notice ?? ""] {
            #expect(AssuanText.encoded(text).utf8.count <= 200)
        }
        for line in words.lines {
            #expect(line.unicodeScalars.reduce(0) { $0 + ProgramWords.width(of: $1) } <= 68)
        }
    }

    @Test("a line that goes on is indented, so that it begins like none of ours")
    func wrapping() {
        let spaced = String(repeating: "x", count: 58) + "This is: signed by Apple"
        let lines = PromptWords(.asking(.passcode, reason: spaced)).lines
        #expect(lines.dropFirst(4) == ["    This is: signed by Apple\""])
    }
}
