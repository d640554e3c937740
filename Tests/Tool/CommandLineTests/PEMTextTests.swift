import LatchkeyCommandLineTool
import LatchkeySecretMemory
import Testing

@Suite("Blocks of a PEM text")
struct PEMTextTests {
    private func blocks(_ text: String) -> [(label: String, text: String)] {
        PEMText.blocks(of: SecretBox(copying: Array(text.utf8))).map { ($0.label, $0.text.text) }
    }

    @Test("every block in its order, with its lines and nothing beside them")
    func several() {
        let one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let other = "-----BEGIN RSA PRIVATE KEY-----\r\nBBBB\r\n-----END RSA PRIVATE KEY-----\r\n"
        let found = blocks("Name: x\n\n\(one)between\n\(other)behind")
        #expect(found.map(\.label) == ["CERTIFICATE", "RSA PRIVATE KEY"])
        #expect(found.map(\.text) == [one, other])
    }

    @Test("a last line without an end is fine")
    func lastLine() {
        #expect(blocks("-----BEGIN X-----\nAA\n-----END X-----").map(\.label) == ["X"])
    }

    @Test(
        "what has no end, or another one, is no block",
        arguments: [
            "", "-----BEGIN ", "-----BEGIN X", "-----BEGIN X-----\nAA", "-----BEGIN X-----\nAA\n-----END Y-----\n",
            "-----END X-----\n-----BEGIN X-----", "-----BEGIN \(String(repeating: "X", count: 65))-----",
        ])
    func noBlocks(_ text: String) {
        #expect(blocks(text).isEmpty)
    }

    @Test("whether it is PEM at all")
    func looks() {
        #expect(PEMText.isPEM(Array("text\n-----BEGIN X-----".utf8)))
        #expect(!PEMText.isPEM(Array("-----END X-----".utf8)))
        #expect(!PEMText.isPEM([0x30, 0x82]))
        #expect(!PEMText.isPEM([]))
    }
}
