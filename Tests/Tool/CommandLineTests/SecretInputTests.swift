import Glibc
import LatchkeyCommandLineTool
import LatchkeyPrompt
import LatchkeySecretMemory
import Testing

@Suite("Reading secrets")
struct SecretInputTests {
    /// A pipe that holds some bytes and is closed behind them.
    private func withPipe<R>(_ bytes: [UInt8], _ body: (Int32) throws -> R) rethrows -> R {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        #expect(write(ends[1], bytes, bytes.count) == bytes.count)
        close(ends[1])
        defer { close(ends[0]) }
        return try body(ends[0])
    }

    @Test("a passcode is one line, and what follows is left for the next reader")
    func lines() throws {
        let read = try withPipe(Array("first\nsecond\r\n\nrest".utf8)) { descriptor in
            let lines = try (0..<3).map { _ in try SecretReader.line(from: descriptor).text }
            return lines + [try SecretReader.everything(from: descriptor, limit: 100).text]
        }
        #expect(read == ["first", "second", "", "rest"])
    }

    @Test("an input that ends before a line begins has no line")
    func noLine() {
        _ = withPipe([]) { descriptor in
            #expect(throws: InputFailure.ended) { try SecretReader.line(from: descriptor) }
        }
    }

    @Test(
        "the line end of one line of text does not belong to a secret; anything else is kept byte for byte",
        arguments: [
            ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\tb\n", "a\tb"), ("ä\n", "ä"), ("\n", ""), ("\r\n", ""),
            ("", ""), ("a\n\n", "a\n\n"), ("a\nb\n", "a\nb\n"), ("a\nb", "a\nb"), ("a\r\nb\r\n", "a\r\nb\r\n"),
            ("a\rb\n", "a\rb\n"), ("a\u{0}\n", "a\u{0}\n"), ("\u{1b}[0m\n", "\u{1b}[0m\n"), ("a\r", "a\r"),
        ])
    func lineEnd(_ input: String, _ secret: String) throws {
        #expect(SecretText.withoutLineEnd(SecretBox(input)).text == secret)
    }

    @Test("bytes that are not UTF-8 are kept, also where the last one is that of a newline")
    func bytesThatAreNoText() {
        let key = SecretBox(copying: [0xFF, 0x80, 0x0A])
        #expect(SecretText.withoutLineEnd(key).equals(key))
    }

    @Test("an empty input is not a secret", arguments: ["", "\n", "\r\n"])
    func empty(_ input: String) throws {
        let failure = withPipe(Array(input.utf8)) { descriptor in
            #expect(throws: CommandFailure.self) { try SecretSource(secretDescriptor: descriptor).newSecret() }
        }
        #expect(failure?.status == .secretUnreadable)
        #expect(failure?.advice?.contains("--without-secret") == true)
    }

    @Test(
        "the form decides what belongs to it",
        arguments: [
            ("61\n", SecretSource.SecretForm.text, "61"), ("61\n", .exact, "61\n"), ("61\n", .hexadecimal, "a"),
            ("\n", .exact, "\n"),
        ])
    func forms(_ input: String, _ form: SecretSource.SecretForm, _ secret: String) throws {
        let read = try withPipe(Array(input.utf8)) { try SecretSource(secretDescriptor: $0).newSecret(form) }
        #expect(read.text == secret)
    }

    @Test("longer than one chunk, byte for byte", arguments: [4095, 4096, 4097, 8192, 20_000, 60_000])
    func long(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let secret = try withPipe(bytes) { try SecretReader.everything(from: $0, limit: 60_000) }
        #expect(secret.equals(SecretBox(copying: bytes)))
    }

    @Test("limits are kept")
    func limits() throws {
        _ = withPipe(Array(repeating: 1, count: 5)) { descriptor in
            #expect(throws: InputFailure.tooLong(limit: 4)) { try SecretReader.everything(from: descriptor, limit: 4) }
        }
        _ = withPipe(Array(repeating: 1, count: 5)) { descriptor in
            #expect(throws: InputFailure.tooLong(limit: 4)) { try SecretReader.line(from: descriptor, limit: 4) }
        }
        #expect(try withPipe(Array("1234\n".utf8)) { try SecretReader.line(from: $0, limit: 4).text } == "1234")
        #expect(throws: InputFailure.cannotRead(errno: EBADF)) { try SecretReader.line(from: -1) }
    }

    @Test(
        "hexadecimal input",
        arguments: [("00ff", [0, 255]), (" 0A0b\r\n", [10, 11]), ("", [])] as [(String, [UInt8])])
    func hexadecimal(_ text: String, _ bytes: [UInt8]) throws {
        #expect(try SecretBox(text).decodedHexadecimal().equals(SecretBox(copying: bytes)))
    }

    @Test("texts that are not hexadecimal", arguments: ["0", "0g", "0 0", "0x00"])
    func notHexadecimal(_ text: String) {
        #expect(throws: InputFailure.notHexadecimal) { try SecretBox(text).decodedHexadecimal() }
    }

    @Test(
        "what a terminal may get of a file",
        arguments: [
            ("", true), ("name,url\r\n\"a\nb\tc\"", true), ("é☝🏽e\u{301}", true), ("a\rb", false), ("a\r", false),
            ("\u{1B}[2J", false), ("\u{7}", false), ("\u{7F}", false), ("\u{9B}2J", false), ("\u{202E}", false),
            ("\u{2028}", false), ("\0", false),
        ])
    func filesOnTerminals(_ text: String, _ isShown: Bool) {
        for piece in [Report.Piece.bytes(Array(text.utf8)), .secret(SecretBox(text))] {
            #expect(Report(pieces: [.bytes([0x61]), piece], json: .null).isForTerminals == isShown)
        }
        #expect(!Report(pieces: [.bytes([0xC3])], json: .null).isForTerminals)
    }

    @Test(
        "what a terminal may get, and where -w adds a newline",
        arguments: [
            ([0x61], true, true, true), ([0x61, 0x09, 0xC3, 0xA4], true, true, true), ([], true, true, true),
            ([0x61, 0x0A, 0x62], true, false, true), ([0x61, 0x0A], true, false, false),
            ([0x0D, 0x0A], true, false, false), ([0x1B], false, false, true), ([0xFF], false, false, true),
            ([0], false, false, true), ([0x7F], false, false, true), ([0xC2, 0x9B], false, true, true),
            (Array("a\u{202E}b".utf8), false, true, true), (Array("a\rb".utf8), false, false, true),
            (Array("e\u{301}☝🏽".utf8), true, true, true),
        ] as [([UInt8], Bool, Bool, Bool)])
    func terminals(_ bytes: [UInt8], _ isShown: Bool, _ newline: Bool, _ newlineOnTerminal: Bool) {
        let secret = SecretBox(copying: bytes)
        #expect(SecretText.isForTerminals(secret) == isShown)
        #expect(SecretText.needsNewline(secret, onTerminal: false) == newline)
        #expect(SecretText.needsNewline(secret, onTerminal: true) == newlineOnTerminal)
    }
}
