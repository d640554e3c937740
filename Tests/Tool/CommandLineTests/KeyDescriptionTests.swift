import LatchkeyAccessControl
import LatchkeyCommandLineTool
import LatchkeyPropertyListDER
import Testing

@Suite("What is shown of a key")
struct KeyDescriptionTests {
    private static let identifier: [UInt8] = Array(repeating: 0xAB, count: 20)

    private func attributes(_ more: [String: PropertyValue] = [:]) -> [String: PropertyValue] {
        [
            "klbl": .data(Self.identifier), "kcls": .integer(1), "type": .integer(73), "bsiz": .integer(256),
            "labl": .string("login"), "atag": .data(Array("org.example.login".utf8)), "pdmn": .string("ak"),
            "agrp": .string("g"),
        ].merging(more) { $1 }
    }

    private func members(_ attributes: [String: PropertyValue]) -> [String: JSONValue] {
        guard case .object(let members) = KeyDescription(attributes).json else { return [:] }
        return Dictionary(uniqueKeysWithValues: members)
    }

    private func text(_ value: JSONValue?) -> String? {
        if case .string(let text)? = value { text } else { nil }
    }

    @Test("kind, size, place, label, tag and protection")
    func software() {
        let line = KeyDescription(attributes()).line
        for part in [
            String(repeating: "ab", count: 20), "private ec 256", "keychain", "\"login\"", "\"org.example.login\"",
            "when-unlocked",
        ] { #expect(line.contains(part), "\(part)") }
        #expect(!line.contains("asks for"))
        let json = members(attributes())
        #expect(text(json["id"]) == String(repeating: "ab", count: 20))
        #expect(text(json["where"]) == "keychain")
        #expect(text(json["tag"]) == "org.example.login")
    }

    @Test("a key of the enclave has the protection and the conditions of its own rules, not those of its row")
    func enclave() throws {
        let rules = try AccessControl(
            protection: "akpu", flags: [.biometryAny, .devicePasscode, .or, .privateKeyUsage])
        let key = attributes([
            "tkid": .string("com.apple.setoken"), "pdmn": .string("dk"),
            "accc": .reference(kind: "SecAccessControl", bytes: rules.serialised),
        ])
        let line = KeyDescription(key).line
        #expect(line.contains("enclave"))
        #expect(line.contains("when-passcode-set-this-device-only, asks for biometry-any or passcode"))
        #expect(text(members(key)["protection"]) == "akpu")
        guard case .boolean(true)? = members(key)["any"] else {
            Issue.record("one condition is enough")
            return
        }
    }

    @Test("a public key, an RSA key, numbers as text, and a tag that is not text")
    func others() {
        let key = attributes([
            "kcls": .string("0"), "type": .string("42"), "bsiz": .integer(2048), "atag": .data([0xFF, 0x00]),
        ])
        let line = KeyDescription(key).line
        #expect(line.contains("public rsa 2048"))
        #expect(line.contains("0xff00"))
    }

    @Test("an item that says nothing of itself is still a line")
    func nothing() {
        let line = KeyDescription([:]).line
        #expect(line.contains("(no label)"))
        #expect(line.contains("symmetric unknown 0"))
    }

    @Test("what stands in a label cannot be taken for more lines")
    func escapes() {
        let line = KeyDescription(attributes(["labl": .string("a\n\u{1B}[2Jb")])).line
        #expect(!line.contains("\u{1B}"))
        #expect(line.split(separator: "\n").count == 3)
    }
}
