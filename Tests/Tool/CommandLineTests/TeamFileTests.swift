import LatchkeyCodeSignature
import LatchkeyCommandLineTool
import LatchkeySecretMemory
import Testing

@Suite("The file that a team hands out")
struct TeamFileTests {
    private func why(_ text: String) -> String {
        let failure = #expect(throws: CommandFailure.self) { try TeamFile(text: text) }
        #expect(failure?.status == .inputMalformed)
        return failure?.why ?? ""
    }

    @Test("what is written is read, with and without a name", arguments: [nil, "Example & Söhne"])
    func roundTrip(_ name: String?) throws {
        let file = TeamFile(name: name, key: TeamKey.generate().publicKey)
        #expect(try TeamFile(text: file.text) == file)
        #expect(try TeamFile(text: file.text.split(separator: "\n").joined(separator: "\r\n")) == file)
        #expect(file.text.contains("Team: \(file.key.identifier)\n"))
    }

    @Test("a public key as other tools write it is read")
    func known() throws {
        let file = try TeamFile(
            text: """
                -----BEGIN PUBLIC KEY-----
                MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAERmKuR8zqn9+mECCWxFVnun1xbluA
                X8U3m0+s0PZ8WnMhf/0fareynxbVbTadhAPJUIwz5GD7XzKbLYM6ORp6Ng==
                -----END PUBLIC KEY-----
                """)
        #expect(file.name == nil)
        #expect(file.key.identifier.text == "JYAWKMCWSK")
    }

    @Test("a private key is not taken for what is handed out")
    func privateKey() {
        let text = TeamKey.generate().pem(passphrase: nil).text
        #expect(why(text).contains("private key"))
    }

    @Test("keys that are not a point of the curve, cut ones, several, and hidden characters are refused")
    func malformed() {
        let good = TeamFile(name: "x", key: TeamKey.generate().publicKey).text
        let begin = "-----BEGIN PUBLIC KEY-----"
        #expect(why("") == "It has no public key.")
        #expect(why(good + good).contains("more than one"))
        #expect(why(good.replacing("-----END PUBLIC KEY-----", with: "")) == "It has no public key.")
        #expect(why(good.replacing("MFkw", with: "MFkx")).contains("P-256"))
        #expect(why(good.replacing("\n-----END", with: "AA\n-----END")).contains("P-256"))
        #expect(why(good.replacing("Name: x", with: "Name: x\u{1B}[2J")).contains("name"))
        #expect(why(String(repeating: "#\n", count: TeamFile.byteLimit) + good).contains("longer"))
        // The last byte of a point's ordinate, changed, leaves the curve.
        let point = TeamKey.generate().publicKey.bytes
        let other = Array(point.dropLast()) + [(point.last ?? 0) ^ 1]
        if let key = TeamPublicKey(other) { #expect(why(TeamFile(name: nil, key: key).text).contains("P-256")) }
        #expect(good.contains(begin))
    }
}
