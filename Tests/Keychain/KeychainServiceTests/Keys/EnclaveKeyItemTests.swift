import GRDB
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Keys of the enclave as items")
struct EnclaveKeyItemTests {
    private static let everything: [String: PropertyValue] = [
        "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_Ref": .boolean(true),
        "r_PersistentRef": .boolean(true),
    ]

    @Test("the enclave says what the key is, the program what it is called")
    func attributes() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey(.privateKeyUsage, .whenUnlocked)
        let added = keychain.store(
            key,
            [
                "labl": .string("login"), "atag": .data([1]), "klbl": .data([9]), "kcls": .integer(0),
                "bsiz": .integer(7), "sign": .integer(0), "pdmn": .string("ck"),
            ].merging(Self.everything) { $1 })
        #expect(added.code == .success)
        let found = keychain.call(.find, .key, Self.everything)
        #expect(found.code == .success)
        for reply in [added, found] {
            let attributes = reply.attributes
            #expect(attributes["labl"] == .string("login") && attributes["atag"] == .data([1]))
            #expect(attributes["klbl"] == .data(sha1(key.publicKey.externalRepresentation)))
            #expect(attributes["kcls"] == .integer(1) && attributes["type"] == .integer(73))
            #expect(attributes["bsiz"] == .integer(256) && attributes["esiz"] == .integer(256))
            #expect(attributes["sign"] == .integer(1) && attributes["perm"] == .integer(1))
            #expect(attributes["extr"] == .integer(0) && attributes["priv"] == .integer(1))
            #expect(attributes["tkid"] == .string("com.apple.setoken") && attributes["toid"] == .data(key.blob))
            // The row is always open; the key has its own class.
            #expect(attributes["pdmn"] == .string("dk"))
            let control = AccessControl(protection: .whenUnlocked)
            guard case .reference(kind: "SecAccessControl", let bytes)? = attributes["accc"] else {
                throw Unexpected()
            }
            #expect(try AccessControl(serialised: bytes).protection == control.protection)
            #expect(try AccessControl(serialised: bytes).flags == .privateKeyUsage)
            #expect(attributes["v_Data"] == nil && reply.secrets.isEmpty)
            #expect(reply.object == .enclaveKey(blob: key.blob))
            #expect(attributes["class"] == .string("keys"))
        }
        // The attributes that were found find the item again.
        var again = found.attributes
        for name in ["sha1", "v_Ref", "v_PersistentRef"] { again[name] = nil }
        #expect(keychain.count(.key, again) == 1)
        #expect(keychain.call(.find, .key, ["r_Data": .boolean(true)]).result == nil)
        #expect(keychain.call(.find, .key, ["r_Ref": .boolean(true)]).object == .enclaveKey(blob: key.blob))
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let attributes: @Sendable (EnclaveKey) -> [String: PropertyValue]
        var data: [UInt8]?
        let code: LatchkeyItemModel.ResultCode
        let rule: Rule?
    }

    private static func token(_ key: EnclaveKey) -> [String: PropertyValue] {
        ["tkid": .string("com.apple.setoken"), "toid": .data(key.blob)]
    }

    static let refused = [
        Row(
            testDescription: "bytes of a software key", attributes: { _ in ["tkid": .string("com.apple.setoken")] },
            data: [4, 1, 2], code: .param, rule: .tokenImport),
        Row(
            testDescription: "bytes beside an object", attributes: token, data: [4], code: .param,
            rule: .tokenImport),
        Row(
            testDescription: "no object", attributes: { _ in ["tkid": .string("com.apple.setoken")] }, code: .param,
            rule: .tokenObjectMissing),
        Row(
            testDescription: "an object without its token", attributes: { ["toid": .data($0.blob)] }, code: .param,
            rule: .tokenObjectAlone),
        Row(
            testDescription: "another token", attributes: { ["tkid": .string("card"), "toid": .data($0.blob)] },
            code: .unimplemented, rule: .notInThisVersion),
        Row(
            testDescription: "synchronizable", attributes: { token($0).merging(["sync": .boolean(true)]) { $1 } },
            code: .param, rule: .tokenSynchronizable),
        Row(
            testDescription: "bytes that are not a key of this device",
            attributes: { _ in ["tkid": .string("com.apple.setoken"), "toid": .data([1, 2, 3])] },
            code: .itemNotFound, rule: .enclaveKeyNotHere),
        Row(
            testDescription: "a blob too long",
            attributes: { _ in
                ["tkid": .string("com.apple.setoken"), "toid": .data([UInt8](repeating: 0, count: 1 << 20))]
            }, code: .itemNotFound, rule: .enclaveKeyNotHere),
    ]

    @Test("what cannot be is refused by name, and nothing is stored", arguments: refused)
    func refusals(row: Row) throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        let reply = keychain.call(.add, .key, row.attributes(key), data: row.data)
        #expect(reply.code == row.code)
        #expect(reply.refusal?.rule == row.rule)
        #expect(keychain.count(.key) == 0)
        #expect(keychain.status?.itemCounts["keys"] == 0)
    }

    @Test("tokens are for keys")
    func otherClasses() throws {
        let keychain = try TestKeychain()
        for itemClass in [ItemClass.genericPassword, .internetPassword, .certificate] {
            let reply = keychain.call(.add, itemClass, ["tkid": .string("com.apple.setoken")], data: [1])
            #expect(reply.code == .unimplemented)
        }
    }

    @Test("privateKeyUsage on the item of a software key is refused")
    func privateKeyUsage() throws {
        let keychain = try TestKeychain()
        let control = try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage).serialised
        let reply = keychain.store(
            try PrivateKey(generating: .ellipticCurve(.p256)),
            ["accc": .reference(kind: "SecAccessControl", bytes: control)])
        #expect(reply.code == .param && reply.refusal?.rule == .privateKeyUsageOnPassword)
    }

    @Test("one key twice under one tag is a duplicate; under two tags it is two items")
    func duplicates() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key, ["atag": .string("a")]).code == .success)
        #expect(keychain.store(key, ["atag": .string("a")]).code == .duplicateItem)
        #expect(keychain.store(key, ["atag": .string("b")]).code == .success)
        #expect(keychain.store(try keychain.makeKey(), ["atag": .string("a")]).code == .success)
        #expect(keychain.count(.key) == 3)
        #expect(keychain.count(.key, ["atag": .string("a")]) == 2)
        #expect(keychain.count(.key, ["tkid": .string("com.apple.setoken")]) == 3)
        #expect(keychain.count(.key, ["tkid": .string("other")]) == 0)
    }

    @Test("a token and its object name the item, as attributes and as a persistent reference")
    func byObject() throws {
        let keychain = try TestKeychain()
        let (one, other) = (try keychain.makeKey(), try keychain.makeKey())
        for key in [one, other] { #expect(keychain.store(key).code == .success) }
        for key in [one, other] {
            let found = keychain.call(.find, .key, Self.token(key).merging(["r_Ref": .boolean(true)]) { $1 })
            #expect(found.object == .enclaveKey(blob: key.blob))
            let reference = PersistentReference.token(.key, identifier: "com.apple.setoken", object: key.blob)
            let byReference = keychain.call(
                .find, .key, ["v_PersistentRef": .data(reference.bytes), "r_Ref": .boolean(true)])
            #expect(byReference.object == .enclaveKey(blob: key.blob))
        }
        #expect(keychain.count(.key, ["tkid": .string("com.apple.setoken"), "toid": .data([1])]) == 0)
        var altered = one.blob
        altered[altered.count - 1] ^= 1
        #expect(
            keychain.call(.delete, .key, ["tkid": .string("com.apple.setoken"), "toid": .data(altered)]).code
                == .itemNotFound)
        #expect(keychain.call(.delete, .key, Self.token(one)).code == .success)
        #expect(keychain.sign(one).code == .itemNotFound)
        #expect(keychain.isSigned(keychain.sign(other), by: other))
        #expect(keychain.count(.key) == 1)
    }

    @Test("a locked device finds the item; only using the key waits for the unlock")
    func locked() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey(.privateKeyUsage, .whenUnlocked)
        stage.lock()
        #expect(stage.keychain.store(key).code == .success)
        #expect(stage.keychain.call(.find, .key, ["r_Ref": .boolean(true)]).object == .enclaveKey(blob: key.blob))
        #expect(stage.keychain.sign(key).code == .interactionNotAllowed)
        let update = stage.keychain.call(.update, .key, changes: ["labl": .string("l")])
        #expect(update.code == .success)
        #expect(stage.keychain.call(.delete, .key).code == .success)
        _ = try? stage.service.ask(UnlockDevice(secret("1234")), caller: TestKeychain.caller)
        #expect(stage.keychain.sign(key).rule == .enclaveKeyDeleted)
    }

    @Test("deleting the item ends the key for good, also where another item names it")
    func deletion() throws {
        let directory = try SharedDirectory()
        let key: EnclaveKey
        do {
            let keychain = try TestKeychain(directory.path)
            key = try keychain.makeKey()
            #expect(keychain.store(key, ["atag": .string("a")]).code == .success)
            #expect(keychain.store(key, ["atag": .string("b")]).code == .success)
            #expect(keychain.call(.delete, .key, ["atag": .string("a")]).code == .success)
            #expect(keychain.sign(key).rule == .enclaveKeyDeleted)
            #expect(keychain.store(key).code == .itemNotFound)
            #expect(keychain.count(.key) == 0)
            #expect(keychain.status?.quarantinedRows == 0 && keychain.ended == [.keyDeleted: 1])
        }
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.sign(key).rule == .enclaveKeyDeleted)
    }

    @Test("an enclave that cannot write down the end of a key keeps the item; a failing disk keeps it without its key")
    func failedDeletion() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key).code == .success)
        keychain.mailbox.refuse("DeleteKeys")
        #expect(keychain.call(.delete, .key).code == .notAvailable)
        #expect(throws: (any Error).self) { try keychain.service.deleteItems(inAccessGroups: ["g"]) }
        #expect(keychain.count(.key) == 1)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
        keychain.mailbox.refuse("DeleteKeys", false)
        // The row stays behind, as after a crash between the two.
        try keychain.raw {
            try $0.execute(
                sql: "CREATE TRIGGER stay BEFORE DELETE ON keys BEGIN SELECT RAISE(ABORT, 'no'); END")
        }
        #expect(keychain.call(.delete, .key).code != .success)
        try keychain.raw { try $0.execute(sql: "DROP TRIGGER stay") }
        #expect(keychain.sign(key).rule == .enclaveKeyDeleted)
        #expect(keychain.call(.find, .key).code == .itemNotFound)
        #expect(keychain.status?.quarantinedRows == 0 && keychain.ended == [.keyDeleted: 1])
    }

    @Test("with an app's groups its keys end")
    func groups() throws {
        let keychain = try TestKeychain()
        let (ours, theirs) = (try keychain.makeKey(), try keychain.makeKey())
        #expect(keychain.store(ours, ["agrp": .string("g")]).code == .success)
        #expect(keychain.store(theirs, ["agrp": .string("h")]).code == .success)
        #expect(keychain.store(try PrivateKey(generating: .ellipticCurve(.p256))).code == .success)
        #expect(try keychain.service.deleteItems(inAccessGroups: ["g"]) == 2)
        #expect(keychain.sign(ours).rule == .enclaveKeyDeleted)
        #expect(keychain.isSigned(keychain.sign(theirs), by: theirs))
        #expect(keychain.count(.key) == 1)
    }

    @Test("another program's group is closed, as for every item")
    func foreign() throws {
        let keychain = try TestKeychain()
        let key = try keychain.makeKey()
        #expect(keychain.store(key, ["agrp": .string("g")]).code == .success)
        let other = Caller(name: "other", accessGroups: ["x"])
        #expect(keychain.count(.key, caller: other) == 0)
        #expect(keychain.call(.delete, .key, caller: other).code == .itemNotFound)
        #expect(keychain.call(.find, .key, ["agrp": .string("g")], caller: other).code == .missingEntitlement)
        #expect(keychain.isSigned(keychain.sign(key), by: key))
    }

    @Test("many keys are described in one message")
    func batches() throws {
        let keychain = try TestKeychain()
        let keys = try (0..<30).map { _ in try keychain.makeKey() }
        for key in keys { #expect(keychain.store(key).code == .success) }
        let messages = keychain.mailbox.messages {
            let reply = keychain.call(
                .find, .key, ["r_Ref": .boolean(true), "m_Limit": .string("m_LimitAll")])
            #expect(
                Set(reply.list.compactMap { ItemObject($0) }) == Set(keys.map { .enclaveKey(blob: $0.blob) }))
        }
        #expect(messages == ["UnwrapKeys", "DescribeKeys"])
    }

    @Test("a copy of the device without its root of trust has no keys")
    func copy() throws {
        let directory = try SharedDirectory()
        let keychain = try TestKeychain()
        let key = try keychain.makeKey(.privateKeyUsage, .always)
        #expect(keychain.store(key).code == .success)
        #expect(keychain.call(.find, .key).code == .success)
        try keychain.raw { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        let copy = try TestKeychain(directory.path)
        copy.service.close()
        try copyFile(keychain.databasePath, directory.path + "/keychain/keychain.db")
        let stolen = try TestKeychain(directory.path)
        #expect(stolen.call(.find, .key).code != .success)
        #expect(stolen.sign(key).code == .itemNotFound)
    }
}
