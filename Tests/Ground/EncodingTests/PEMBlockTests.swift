import LatchkeyEncoding
import Testing

@Suite("Blocks of a PEM text")
struct PEMBlockTests {
    private func blocks(_ text: String) -> [(label: String, text: String, content: String)] {
        let bytes = Array(text.utf8)
        return bytes.lend { PEMBlock.all(in: $0) }.map { block in
            (
                block.label, String(decoding: bytes[block.range], as: UTF8.self),
                String(decoding: bytes[block.content], as: UTF8.self)
            )
        }
    }

    @Test("every block in its order, with its lines and nothing beside them")
    func several() {
        let one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let other = "-----BEGIN RSA PRIVATE KEY-----\r\nBBBB\r\n-----END RSA PRIVATE KEY-----\r\n"
        let found = blocks("Name: x\n\n\(one)between\n\(other)behind")
        #expect(found.map(\.label) == ["CERTIFICATE", "RSA PRIVATE KEY"])
        #expect(found.map(\.text) == [one, other])
        #expect(found.map(\.content) == ["\nAAAA\n", "\r\nBBBB\r\n"])
    }

    @Test("a last line without an end is fine, as is a block without lines")
    func lastLine() {
        #expect(blocks("-----BEGIN X-----\nAA\n-----END X-----").map(\.content) == ["\nAA\n"])
        #expect(blocks("-----BEGIN X----------END X-----").map(\.content) == [""])
    }

    @Test(
        "text without an end, or with another one, is not a block",
        arguments: [
            "", "-----BEGIN ", "-----BEGIN X", "-----BEGIN X-----\nAA", "-----BEGIN X-----\nAA\n-----END Y-----\n",
            "-----END X-----\n-----BEGIN X-----", "-----BEGIN X-----END X-----",
            "-----BEGIN \(String(repeating: "X", count: 65))-----",
        ])
    func noBlocks(_ text: String) {
        #expect(blocks(text).isEmpty)
    }

    @Test("a text is PEM if a block begins in it")
    func looks() {
        func isPEM(_ bytes: [UInt8]) -> Bool { bytes.lend { PEMBlock.begins(in: $0) } }
        #expect(isPEM(Array("text\n-----BEGIN X-----".utf8)))
        #expect(!isPEM(Array("-----END X-----".utf8)))
        #expect(!isPEM([0x30, 0x82]))
        #expect(!isPEM([]))
    }
}
