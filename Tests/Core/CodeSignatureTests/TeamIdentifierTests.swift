import LatchkeyCodeSignature
import Testing

@Suite struct TeamIdentifierTests {
    @Test("the identifier is the beginning of the base32 digest of the key")
    func derived() throws {
        // The first characters of: printf of 04 and 64 times 01, sha256sum, base32.
        let key = try #require(TeamPublicKey([4] + [UInt8](repeating: 1, count: 64)))
        #expect(key.identifier.text == "WWR6VXRDV7")
    }

    @Test(
        "other texts are not identifiers",
        arguments: ["", "ABCDEFGHI", "ABCDEFGHIJK", "abcdefghij", "ABCDEFGH1J", "ABCDEFGHÄ", "ABCDEFGHI0"])
    func otherTexts(_ text: String) {
        #expect(TeamIdentifier(text) == nil)
    }

    @Test("a key has 65 bytes and begins with 04")
    func keys() {
        #expect(TeamPublicKey([UInt8](repeating: 4, count: 64)) == nil)
        #expect(TeamPublicKey([3] + [UInt8](repeating: 1, count: 64)) == nil)
    }
}
