import LatchkeyPrompt
import Testing

@Suite("Lines of a pinentry")
struct AssuanTests {
    @Test(
        "each kind of line",
        arguments: [
            ("OK", .ok), ("OK Pleased to meet you", .ok), ("ERR 83886179 Operation cancelled <Pinentry>", .error(99)),
            ("ERR 83886142", .error(62)), ("D 1234", .data), ("D ", .data), ("S PIN_REPEATED", .status("PIN_REPEATED")),
            ("S ERROR tty.? 83886142 ", .status("ERROR")), ("# text", .comment), ("", .comment), ("OKAY", .unexpected),
            ("D", .unexpected), ("ERR", .unexpected), ("ERR x", .unexpected), ("ERR 99999999999", .unexpected),
            ("INQUIRE X", .unexpected), ("S", .status("")), ("GET / HTTP/1.1", .unexpected),
        ] as [(String, AssuanLine)])
    func lines(_ text: String, _ line: AssuanLine) {
        #expect(Array(text.utf8).withUnsafeBytes { AssuanLine($0) } == line)
    }

    @Test(
        "percent encoding is taken back, or refused",
        arguments: [
            ("12%2534", "12%34"), ("%0A%0d", "\n\r"), ("", ""), ("ä b", "ä b"), ("%", nil), ("a%1", nil), ("%zz", nil),
            ("%2", nil), ("%+1", nil), ("%25%", nil),
        ] as [(String, String?)])
    func decoding(_ encoded: String, _ text: String?) {
        var room = [UInt8](repeating: 0, count: 64)
        let count = room.withUnsafeMutableBytes { room in
            Array(encoded.utf8).withUnsafeBytes { AssuanText.decode($0, into: room) }
        }
        #expect(count.map { String(decoding: room[..<$0], as: UTF8.self) } == text)
    }

    @Test("what does not fit is not written beyond the room")
    func room() {
        var room = [UInt8](repeating: 7, count: 4)
        let count = room.withUnsafeMutableBytes { room in
            Array("abcd".utf8).withUnsafeBytes {
                AssuanText.decode($0, into: UnsafeMutableRawBufferPointer(rebasing: room[..<3]))
            }
        }
        #expect(count == -1)
        #expect(room[3] == 7)
    }

    @Test("what is encoded is one line, and comes back")
    func encoding() {
        let text = "100 %\r\nä"
        let encoded = AssuanText.encoded(text)
        #expect(encoded == "100 %25%0D%0Aä")
    }
}
