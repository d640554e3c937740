import GRDB
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("Identities are changed and deleted as a whole")
struct IdentityChangeTests {
    private static func name(_ issued: CertificateAuthority.Issued) throws -> [String: PropertyValue] {
        IdentityStage.name(try issued.parsed, try issued.key.publicKey)
    }

    @Test("an update is for certificate and key")
    func update() throws {
        let stage = try IdentityStage()
        for issued in [stage.first, stage.second] { #expect(try stage.add(issued).code == .success) }
        let reply = stage.keychain.call(
            .update, .identity, try Self.name(stage.first), changes: ["labl": .string("new")])
        #expect(reply.code == .success && reply.affectedRows == 2)
        for itemClass in [ItemClass.identity, .certificate, .key] {
            #expect(stage.keychain.count(itemClass, ["labl": .string("new")]) == 1)
        }
        #expect(stage.keychain.call(.update, .identity, changes: ["agrp": .string("h")]).affectedRows == 4)
        #expect(stage.keychain.count(.identity, ["agrp": .string("h")]) == 2)
    }

    @Test("what only one half has is refused, and so is data")
    func halves() throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first).code == .success)
        for name in ["atag", "klbl", "subj", "acct"] {
            #expect(stage.keychain.call(.update, .identity, changes: [name: .string("x")]).code == .noSuchAttr)
        }
        #expect(stage.keychain.call(.update, .identity, data: [1]).code == .param)
        #expect(
            stage.keychain.call(
                .update, .identity, ["labl": .string("absent")], changes: ["labl": .string("x")]
            ).code == .itemNotFound)
    }

    @Test("an update that fails for the key leaves the certificate as it was")
    func wholeOrNothing() throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first).code == .success)
        #expect(stage.keychain.store(try stage.first.key, ["agrp": .string("h")]).code == .success)
        #expect(
            stage.keychain.call(.update, .identity, ["agrp": .string("g")], changes: ["agrp": .string("h")]).code
                == .duplicateItem)
        #expect(stage.keychain.count(.certificate, ["agrp": .string("g")]) == 1)
    }

    @Test("a delete removes certificate and key, and leaves other items alone")
    func delete() throws {
        let stage = try IdentityStage()
        for issued in [stage.first, stage.second] { #expect(try stage.add(issued).code == .success) }
        #expect(stage.keychain.store(try stage.root.parsed).code == .success)
        #expect(stage.keychain.store(try stage.first.key.publicKey).code == .success)
        #expect(stage.keychain.call(.delete, .identity, try Self.name(stage.first)).affectedRows == 2)
        #expect(stage.counts == [1, 2, 2])
        #expect(stage.keychain.call(.delete, .identity, try Self.name(stage.first)).code == .itemNotFound)
        #expect(stage.keychain.call(.delete, .identity, ["labl": .string("Second")]).affectedRows == 2)
        #expect(stage.counts == [0, 1, 1])
        // Items that do not form an identity are not deleted as one.
        #expect(stage.keychain.call(.delete, .identity).code == .itemNotFound)
        #expect(stage.counts == [0, 1, 1])
        #expect(stage.keychain.call(.delete, .identity, ["m_Limit": .string("m_LimitAll")]).code == .itemNotFound)
        #expect(stage.keychain.call(.delete, .identity, ["m_Limit": .integer(1)]).code == .param)
    }

    @Test("a key that another certificate belongs to stays", arguments: [true, false])
    func sharedKey(byName: Bool) throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first).code == .success)
        #expect(stage.add(try stage.renewed(), try stage.first.key).code == .success)
        let query = byName ? try Self.name(stage.first) : ["labl": .string("First")]
        #expect(stage.keychain.call(.delete, .identity, query).affectedRows == 1)
        #expect(stage.counts == [1, 1, 1])
        // Both certificates at once need the key no more.
        #expect(try stage.add(stage.first).code == .success)
        #expect(
            stage.keychain.call(.delete, .identity, ["klbl": .data(try stage.first.key.publicKey.digest)])
                .affectedRows == 3)
        #expect(stage.counts == [0, 0, 0])
    }

    @Test("of an enclave's key the object that is named is meant, not another with its public key")
    func tokenObject() throws {
        let stage = try IdentityStage()
        let key = try stage.keychain.makeKey()
        #expect(try stage.add(key).reply.code == .success)
        var other = key.blob
        other[other.count - 1] ^= 1
        let named: [String: PropertyValue] = ["toid": .data(other)]
        #expect(stage.keychain.call(.delete, .identity, named).code == .itemNotFound)
        #expect(stage.keychain.call(.update, .identity, named, changes: ["labl": .string("x")]).code == .itemNotFound)
        #expect(stage.keychain.count(.certificate, ["labl": .string("Enclave")]) == 1)
        let right: [String: PropertyValue] = ["toid": .data(key.blob)]
        #expect(stage.keychain.call(.update, .identity, right, changes: ["labl": .string("x")]).affectedRows == 2)
        #expect(stage.keychain.call(.delete, .identity, right).affectedRows == 2)
        #expect(stage.counts == [0, 0, 0])
    }

    @Test("synchronizable halves leave their tombstones")
    func tombstones() throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first, ["sync": .boolean(true)]).code == .success)
        #expect(stage.keychain.call(.delete, .identity, ["sync": .string("syna")]).affectedRows == 2)
        let buried = try stage.keychain.raw {
            try Int.fetchOne(
                $0, sql: "SELECT (SELECT count(*) FROM cert WHERE tomb) + (SELECT count(*) FROM keys WHERE tomb)")
        }
        #expect(buried == 2)
        #expect(try stage.add(stage.first, ["sync": .boolean(true)]).code == .success)
    }

    @Test("identities added at the same time from many threads are all there, each once")
    func concurrency() throws {
        let stage = try IdentityStage()
        let keys = try (0..<8).map { _ in try PrivateKey(generating: .ellipticCurve(.p256)) }
        let certificate = try stage.first.parsed
        // One certificate, eight keys: a later thread finds the certificate there.
        onThreads(8) { index in #expect(stage.add(certificate, keys[index]).code == .success) }
        #expect(stage.keychain.count(.key) == 8)
        #expect(stage.keychain.count(.certificate) == 1)
    }
}
