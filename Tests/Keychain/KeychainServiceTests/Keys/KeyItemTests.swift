import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Keys as items")
struct KeyItemTests {
    private static let everything: [String: PropertyValue] = [
        "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_Ref": .boolean(true),
    ]

    static let kinds: [KeyKind] = [
        .ellipticCurve(.p256), .ellipticCurve(.p384), .ellipticCurve(.p521), .rsa(bits: 2048),
    ]

    @Test("a key comes back as it went in, with its attributes and as an object", arguments: kinds)
    func roundTrip(kind: KeyKind) throws {
        let keychain = try TestKeychain()
        let key = try PrivateKey(generating: kind)
        let bytes = key.externalRepresentation.withBytes { Array($0) }
        let added = keychain.store(key, Self.everything)
        #expect(keychain.store(key.publicKey).code == .success)
        let found = keychain.call(
            .find, .key, KeyAttributes.ofSearch(key.publicKey, keyClass: 1).byColumn.merging(Self.everything) { $1 })
        for reply in [added, found] {
            #expect(reply.code == .success)
            #expect(reply.data("v_Data") == bytes)
            #expect(reply.attributes["klbl"] == .data(sha1(key.publicKey.externalRepresentation)))
            #expect(reply.attributes["bsiz"] == .integer(Int64(kind.sizeInBits)))
            #expect(reply.attributes["priv"] == .integer(1) && reply.attributes["kcls"] == .integer(1))
            #expect(reply.attributes["pdmn"] == .string("ak"))
            #expect(reply.attributes["class"] == .string("keys"))
            #expect(reply.object == .key(keyClass: 1, type: kind.type.rawValue, dataSecret: 0))
            #expect(reply.secrets.count == 1)
        }
        let half = keychain.call(.find, .key, ["kcls": .string("0"), "r_Ref": .boolean(true)])
        #expect(half.object == .key(keyClass: 0, type: kind.type.rawValue, dataSecret: 0))
        #expect(half.secrets.first?.withBytes { Array($0) } == key.publicKey.externalRepresentation)
    }

    @Test("duplicates, tags and both halves under one tag")
    func duplicates() throws {
        let keychain = try TestKeychain()
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let tag: [String: PropertyValue] = ["atag": .string("t")]
        #expect(keychain.store(key, tag).code == .success)
        #expect(keychain.store(key, tag).code == .duplicateItem)
        #expect(keychain.store(key, ["atag": .data(Array("t".utf8))]).code == .duplicateItem)
        #expect(keychain.store(key.publicKey, tag).code == .success)
        #expect(keychain.store(key).code == .success)
        #expect(keychain.store(try PrivateKey(generating: .ellipticCurve(.p256)), tag).code == .success)
        #expect(keychain.store(key, ["atag": .string("t"), "agrp": .string("h")]).code == .success)
        #expect(keychain.store(key, ["atag": .string("t"), "sync": .boolean(true)]).code == .success)
        #expect(keychain.count(.key, tag) == 4)
        #expect(keychain.count(.key, ["sync": .string("syna")]) == 6)
        #expect(keychain.count(.key, ["klbl": .data(key.publicKey.digest), "kcls": .integer(1)]) == 3)
    }

    @Test("bytes without attributes are stored, found and answered with what there is")
    func raw() throws {
        let keychain = try TestKeychain()
        let reply = keychain.call(.add, .key, data: [1, 2, 3])
        #expect(reply.code == .success)
        #expect(keychain.call(.add, .key, data: [4]).code == .duplicateItem)
        let found = keychain.call(.find, .key, Self.everything)
        #expect(found.data("v_Data") == [1, 2, 3])
        #expect(found.attributes["kcls"] == .integer(0) && found.attributes["klbl"] == .data([]))
        #expect(keychain.call(.add, .key, ["kcls": .integer(1)]).code == .success)
        let empty = keychain.call(.find, .key, ["kcls": .integer(1), "r_Ref": .boolean(true)])
        #expect(empty.code == .success && empty.result == nil)
        let list = keychain.call(.find, .key, ["m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true)])
        #expect(list.list.count == 1)
    }

    @Test("a locked device neither adds nor finds keys of its closed classes, and deletes them")
    func locked() throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        #expect(keychain.store(key, ["atag": .string("a")]).code == .success)
        #expect(keychain.store(key, ["atag": .string("c"), "pdmn": .string("ck")]).code == .success)
        stage.lock()
        #expect(keychain.store(key, ["atag": .string("b")]).code == .interactionNotAllowed)
        #expect(keychain.call(.find, .key, ["atag": .string("a")]).code == .interactionNotAllowed)
        #expect(keychain.call(.find, .key, ["atag": .string("c"), "r_Ref": .boolean(true)]).object != nil)
        #expect(keychain.count(.key) == -1)
        #expect(keychain.call(.delete, .key, ["atag": .string("a")]).code == .success)
        #expect(keychain.count(.key) == 1)
    }

    @Test("an access control guards a key as it guards a password")
    func conditions() throws {
        let stage = try AuthenticationStage()
        let key = try PrivateKey(generating: .ellipticCurve(.p256))
        let control = try AuthenticationStage.control(.userPresence)
        #expect(stage.keychain.store(key, ["accc": control]).code == .success)
        stage.person.will(.cancel, .match)
        #expect(stage.keychain.call(.find, .key, ["r_Ref": .boolean(true)]).code == .userCanceled)
        #expect(stage.keychain.call(.find, .key, ["r_Ref": .boolean(true)]).object != nil)
        #expect(stage.keychain.call(.find, .key, ["u_AuthUI": .string("u_AuthUIS")]).code == .itemNotFound)
        #expect(stage.person.prompts.count == 2)
    }

    @Test("updates change attributes and data; the persistent reference stays")
    func updates() throws {
        let keychain = try TestKeychain()
        let (key, other) = (
            try PrivateKey(generating: .ellipticCurve(.p256)), try PrivateKey(generating: .ellipticCurve(.p256))
        )
        let reference = keychain.store(key, ["atag": .string("a"), "r_PersistentRef": .boolean(true)]).result
        #expect(keychain.store(key, ["atag": .string("b")]).code == .success)
        let bytes = other.externalRepresentation.withBytes { Array($0) }
        #expect(
            keychain.call(
                .update, .key, ["atag": .string("a")], data: bytes,
                changes: ["klbl": .data(other.publicKey.digest), "labl": .string("l")]
            ).code == .success)
        let found = keychain.call(
            .find, .key, ["labl": .string("l"), "r_Data": .boolean(true), "r_PersistentRef": .boolean(true)])
        #expect(found.data("v_Data") == bytes && found.attributes["v_PersistentRef"] == reference)
        #expect(
            keychain.call(.update, .key, ["atag": .string("b")], changes: ["acct": .string("x")]).code == .noSuchAttr)
        #expect(keychain.store(other, ["atag": .string("c")]).code == .success)
        #expect(
            keychain.call(.update, .key, ["atag": .string("c")], changes: ["atag": .string("a")]).code
                == .duplicateItem)
        #expect(keychain.call(.update, .key, ["atag": .string("c")], changes: ["tkid": .string("x")]).code == .param)
    }
}
