import GRDB
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

@Suite("Items of enclave keys are changed and damaged")
struct EnclaveKeyChangeTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [String: PropertyValue]
        var data: [UInt8]?
        let code: LatchkeyItemModel.ResultCode
        let rule: Rule?
    }

    static let changes =
        [
            Change(testDescription: "label", changes: ["labl": .string("new")], code: .success, rule: nil),
            Change(testDescription: "tag", changes: ["atag": .string("new")], code: .success, rule: nil),
            Change(testDescription: "group", changes: ["agrp": .string("h")], code: .success, rule: nil),
            Change(testDescription: "data", changes: [:], data: [1], code: .param, rule: .tokenData),
            Change(testDescription: "class", changes: ["pdmn": .string("ck")], code: .param, rule: .tokenProtection),
            Change(
                testDescription: "access control",
                changes: [
                    "accc": .reference(
                        kind: "SecAccessControl", bytes: AccessControl(protection: .afterFirstUnlock).serialised)
                ], code: .param, rule: .tokenProtection),
            Change(
                testDescription: "synchronizable", changes: ["sync": .boolean(true)], code: .param,
                rule: .tokenSynchronizable),
            Change(testDescription: "token", changes: ["tkid": .string("x")], code: .param, rule: .tokenChange),
            Change(testDescription: "object", changes: ["toid": .data([1])], code: .param, rule: .tokenChange),
            Change(
                testDescription: "hash", changes: ["klbl": .data([1])], code: .param, rule: .tokenAttributes),
        ]
        + [
            "kcls", "type", "bsiz", "esiz", "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr",
            "drve",
            "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp",
        ].map {
            Change(
                testDescription: $0, changes: [$0: .integer(0), "labl": .string("new")], code: .param,
                rule: .tokenAttributes)
        }

    @Test("an update changes what the program says, never what the key is", arguments: changes)
    func updates(row: Change) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key).code == .success)
        let all: [String: PropertyValue] = ["r_Ref": .boolean(true), "r_Attributes": .boolean(true)]
        let before = keychain.call(.find, .key, all)
        let reply = keychain.call(.update, .key, data: row.data, changes: row.changes)
        #expect(reply.code == row.code)
        #expect(reply.refusal?.rule == row.rule)
        let found = keychain.call(.find, .key, all)
        #expect(found.object == .enclaveKey(blob: key.blob))
        for (name, value) in row.changes where row.code == .success { #expect(found.attributes[name] == value) }
        if row.code != .success { #expect(found.attributes == before.attributes) }
        #expect(keychain.isSigned(keychain.sign(key), by: key))
    }

    @Test("an update of an item whose key is gone finds nothing")
    func updateOfGone() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key, ["atag": .string("a")]).code == .success)
        #expect(keychain.store(key, ["atag": .string("b")]).code == .success)
        #expect(keychain.call(.delete, .key, ["atag": .string("a")]).code == .success)
        #expect(keychain.call(.update, .key, changes: ["labl": .string("l")]).code == .itemNotFound)
        #expect(keychain.status?.quarantinedRows == 0 && keychain.ended == [.keyDeleted: 1])
    }

    private static let tamperings = [
        "UPDATE keys SET secret = x''", "UPDATE keys SET secret = NULL", "UPDATE keys SET itemkey = NULL",
        "UPDATE keys SET itemkey = randomblob(40)", "UPDATE keys SET attributes = x''",
        "UPDATE keys SET pdmn = 6", "UPDATE keys SET secret = randomblob(length(secret))",
        "UPDATE keys SET agrp = 'h'",
    ]

    @Test("an item that was touched is not found and kept aside; its key is unharmed", arguments: tamperings)
    func damage(sql: String) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key).code == .success)
        try keychain.raw { try $0.execute(sql: sql) }
        #expect(keychain.call(.find, .key, ["r_Ref": .boolean(true)]).code == .itemNotFound)
        #expect(keychain.status?.quarantinedRows == 1)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
        #expect(keychain.store(key).code == .success)
    }

    @Test("bytes that no key of this device has become no item, locked or not, and change no other key")
    func forged() throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let key = try keychain.makeKey()
        #expect(keychain.store(key).code == .success)
        // The identifier of a genuine key beside another point, and another seal.
        var point = key.blob
        point[30] ^= 1
        var seal = key.blob
        seal[seal.count - 60] ^= 1
        func expectRefused() {
            for blob in [point, seal] {
                let forged = EnclaveKey(blob: blob, publicKey: key.publicKey)
                let reply = keychain.store(forged, ["atag": .string("forged")])
                #expect(reply.code == .itemNotFound)
                #expect(reply.refusal?.rule == .enclaveKeyNotHere)
                #expect(keychain.sign(forged).rule == .enclaveKeyNotHere)
                #expect(keychain.ask(DescribeEnclaveKey(blob)).rule == .enclaveKeyNotHere)
            }
            #expect(keychain.call(.find, .key, ["atag": .string("forged")]).code == .itemNotFound)
        }
        expectRefused()
        _ = try? stage.service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)
        expectRefused()
        _ = try? stage.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
    }
}
