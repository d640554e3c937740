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
            return lines + [try SecretReader.all(from: descriptor).text]
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
        "a secret is the whole input minus one newline at its end",
        arguments: [
            ("a", "a"), ("a\n", "a"), ("a\n\n", "a\n"), ("a\nb\n", "a\nb"), ("\n", ""), ("", ""), ("a\r\n", "a\r"),
        ])
    func whole(_ input: String, _ secret: String) throws {
        #expect(try withPipe(Array(input.utf8)) { try SecretReader.all(from: $0).text } == secret)
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

    @Test("what is no hexadecimal", arguments: ["0", "0g", "0 0", "0x00"])
    func notHexadecimal(_ text: String) {
        #expect(throws: InputFailure.notHexadecimal) { try SecretBox(text).decodedHexadecimal() }
    }

    @Test(
        "a secret is shown as text only if it is text",
        arguments: [([0x61, 0x20, 0xC3, 0xA4], "a ä"), ([0x0A], "0x0a"), ([0xFF], "0xff"), ([], "")]
            as [([UInt8], String)])
    func shown(_ bytes: [UInt8], _ text: String) {
        #expect(SecretText.shown(SecretBox(copying: bytes)).text == text)
    }
}
