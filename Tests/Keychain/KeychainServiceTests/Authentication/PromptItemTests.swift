import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

/// A prompt names the item that a person opens it for.
@Suite struct PromptItemTests {
    private static func add(
        _ stage: AuthenticationStage, _ attributes: [String: PropertyValue], _ flags: AccessControlFlags = .userPresence
    ) throws {
        let reply = stage.perform(
            .add, attributes.merging(["accc": try AuthenticationStage.control(flags)]) { $1 }, secret: "s3cret")
        #expect(reply.code == .success)
    }

    private static let names: [(attributes: [String: PropertyValue], shown: String?)] = [
        (["svce": .string("mail"), "acct": .string("alice")], "mail / alice"),
        (["labl": .string("Mail"), "svce": .string("mail"), "acct": .string("alice")], "Mail / mail / alice"),
        (["labl": .string("mail"), "svce": .string("mail")], "mail"),
        (["acct": .data(Array("bob".utf8))], "bob"), (["acct": .data([0xFF, 0xFE])], nil), ([:], nil),
        (["svce": .string(String(repeating: "x", count: 500))], String(repeating: "x", count: 96) + "…"),
        (["svce": .string(String(repeating: "ü", count: 47) + "xüü")], String(repeating: "ü", count: 47) + "x…"),
    ]

    @Test("by label, service and account", arguments: names.indices)
    func find(_ index: Int) throws {
        let (attributes, shown) = Self.names[index]
        let stage = try AuthenticationStage()
        try Self.add(stage, attributes)
        stage.person.will(.match)
        #expect(stage.perform(.find, attributes.merging(["r_Data": .boolean(true)]) { $1 }).text == "s3cret")
        #expect(stage.person.prompts.map(\.item) == [shown])
    }

    @Test("an update and a new application password name it, too; an evaluation without an item names none")
    func others() throws {
        let stage = try AuthenticationStage()
        try Self.add(stage, ["acct": .string("alice")])
        stage.person.will(.match)
        #expect(stage.update("alice", secret: "new").code == .success)
        stage.person.will(.type("word"))
        try Self.add(stage, ["acct": .string("bob")], .applicationPassword)
        stage.person.will(.match)
        _ = stage.evaluate(.deviceOwner, session: stage.openSession())
        #expect(stage.person.prompts.map(\.item) == ["alice", "bob", nil])
    }

    @Test("a key of the enclave is named by the item that stands for it")
    func keys() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .biometryAny])
        stage.person.will(.match)
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        #expect(stage.keychain.store(key, ["labl": .string("Signing key")]).code == .success)
        stage.person.will(.match)
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        #expect(stage.person.prompts.map(\.item) == [nil, "Signing key"])
    }
}
