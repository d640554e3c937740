import Foundation
import GRDB
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Identities: a certificate and its private key")
struct IdentityTests {
    private static let everything: [String: PropertyValue] = [
        "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_Ref": .boolean(true),
        "r_PersistentRef": .boolean(true),
    ]

    @Test("an identity comes back with the key's attributes, the certificate's over them, and both data")
    func roundTrip() throws {
        let stage = try IdentityStage()
        let (certificate, key) = (try stage.first.parsed, try stage.first.key)
        let added = try stage.add(
            stage.first, ["labl": .string("mine"), "atag": .string("tag")].merging(Self.everything) { $1 })
        #expect(added.code == .success)
        let found = stage.keychain.call(.find, .identity, Self.everything)
        for reply in [added, found] {
            let attributes = reply.attributes
            #expect(attributes["class"] == .string("idnt") && attributes["labl"] == .string("mine"))
            #expect(attributes["atag"] == .string("tag") && attributes["klbl"] == .data(key.publicKey.digest))
            #expect(attributes["kcls"] == .integer(1) && attributes["ctyp"] == .integer(Int64(certificate.version) + 1))
            #expect(attributes["slnr"] == .data(certificate.serialNumber))
            #expect(reply.data("v_Data") == key.externalRepresentation.withBytes { Array($0) })
            #expect(reply.data("certdata") == certificate.der)
            guard case .identity(.key(1, 73, let keyPlace), let certificatePlace)? = reply.object else {
                throw Unexpected()
            }
            #expect(reply.attributes["v_Data"] == .secret(keyPlace))
            #expect(reply.attributes["certdata"] == .secret(certificatePlace))
        }
        #expect(added.attributes["v_PersistentRef"] == found.attributes["v_PersistentRef"])
        guard case .data(let reference)? = found.attributes["v_PersistentRef"] else { throw Unexpected() }
        #expect(reference.starts(with: Array("idnt".utf8)))
        let byReference = stage.keychain.call(
            .find, .identity, ["v_PersistentRef": .data(reference), "r_Data": .boolean(true)])
        #expect(byReference.data() == key.externalRepresentation.withBytes { Array($0) })
        // The reference is that of the certificate's row.
        let ofCertificate = stage.keychain.call(.find, .certificate, ["r_PersistentRef": .boolean(true)]).result
        #expect(ofCertificate == .data(Array("cert".utf8) + reference.dropFirst(4)))
        #expect(stage.keychain.call(.find, .identity, ["r_Ref": .boolean(true)]).secrets.count == 2)
    }

    @Test("protection, group and synchronizability are of both halves; nothing is stored of a half")
    func both() throws {
        let stage = try IdentityStage()
        #expect(
            try stage.add(
                stage.first, ["agrp": .string("h"), "pdmn": .string("ck"), "sync": .boolean(true)]
            ).code == .success)
        let all: [String: PropertyValue] = ["agrp": .string("h"), "pdmn": .string("ck"), "sync": .boolean(true)]
        #expect(stage.keychain.count(.certificate, all) == 1)
        #expect(stage.keychain.count(.key, all) == 1)
        #expect(stage.keychain.count(.identity, all) == 1)
        #expect(try stage.add(stage.second, ["agrp": .string("foreign")]).code == .missingEntitlement)
        #expect(
            try stage.add(
                stage.second, ["accc": try AuthenticationStage.control(.userPresence), "sync": .boolean(true)]
            ).refusal?.rule == .synchronizableWithConditions)
        #expect(stage.keychain.call(.add, .identity).refusal?.rule == .identityWithoutReference)
        #expect(stage.keychain.count(.certificate, ["labl": .string("Second")]) == 0)
    }

    @Test("what joins is a private key and a certificate of it, whichever came first")
    func join() throws {
        let stage = try IdentityStage()
        #expect(stage.keychain.store(try stage.first.parsed).code == .success)
        #expect(stage.keychain.store(try stage.first.key.publicKey).code == .success)
        // A public key that claims to be private does not make an identity.
        #expect(stage.keychain.count(.identity) == 0)
        #expect(stage.keychain.store(try stage.second.key).code == .success)
        #expect(stage.keychain.count(.identity) == 0)
        #expect(stage.keychain.store(try stage.first.key).code == .success)
        #expect(stage.keychain.count(.identity) == 1)
        #expect(stage.keychain.store(try stage.second.parsed).code == .success)
        #expect(stage.keychain.count(.identity) == 2)
        #expect(stage.keychain.store(try stage.first.key, ["atag": .string("again")]).code == .success)
        #expect(stage.keychain.store(try stage.renewed()).code == .success)
        // Two certificates and two items of one key, and one of each.
        #expect(stage.keychain.count(.identity) == 5)
        // Data that says nothing of itself joins nothing.
        #expect(stage.keychain.call(.add, .certificate, data: [1]).code == .success)
        #expect(
            stage.keychain.call(
                .add, .key, ["kcls": .integer(1), "priv": .integer(1)], data: [1]
            ).code == .success)
        #expect(stage.keychain.count(.identity) == 5)
    }

    @Test("attributes of the certificate filter it, all others the key")
    func filters() throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first, ["atag": .string("one")]).code == .success)
        #expect(try stage.add(stage.second, ["atag": .string("two")]).code == .success)
        #expect(
            stage.keychain.call(.update, .key, ["atag": .string("one")], changes: ["labl": .string("Second")]).code
                == .success)
        func label(_ query: [String: PropertyValue]) -> PropertyValue? {
            stage.keychain.call(.find, .identity, query.merging(["r_Attributes": .boolean(true)]) { $1 })
                .attributes["labl"]
        }
        let (first, second) = (try stage.first.parsed, try stage.second.parsed)
        for (certificate, name, tag) in [(first, "First", "one"), (second, "Second", "two")] {
            let key = try #require(certificate.publicKey)
            let queries: [[String: PropertyValue]] = [
                ["labl": .string(name)], ["slnr": .data(certificate.serialNumber)], ["atag": .string(tag)],
                ["klbl": .data(key.digest)], ["atag": .string(tag), "labl": .string(name)],
                IdentityStage.name(certificate, key),
            ]
            for query in queries {
                #expect(label(query) == .string(name))
                #expect(stage.keychain.count(.identity, query) == 1)
            }
        }
        #expect(stage.keychain.count(.identity, ["issr": .data(first.normalisedIssuer)]) == 2)
        #expect(stage.keychain.count(.identity, ["labl": .string("First"), "atag": .string("two")]) == 0)
        #expect(stage.keychain.call(.find, .identity, ["acct": .string("x")]).code == .noSuchAttr)
    }

    @Test("limits count identities")
    func limits() throws {
        let stage = try IdentityStage()
        // Keys without certificates come first.
        for _ in 0..<5 {
            #expect(stage.keychain.store(try PrivateKey(generating: .ellipticCurve(.p256))).code == .success)
        }
        for issued in [stage.first, stage.second] { #expect(try stage.add(issued).code == .success) }
        #expect(stage.add(try stage.renewed(), try stage.first.key).code == .success)
        for (limit, count) in [(1, 0), (2, 2), (3, 3), (4, 3)] {
            let reply = stage.keychain.call(
                .find, .identity, ["m_Limit": .integer(Int64(limit)), "r_Ref": .boolean(true)])
            #expect(reply.list.count == count)
            #expect((limit == 1) == (reply.object != nil))
        }
        // A certificate that belongs to two identities, or a key, is in the answer once.
        let all = stage.keychain.call(
            .find, .identity, ["m_Limit": .string("m_LimitAll"), "r_Ref": .boolean(true)])
        #expect(all.secrets.count == 5)
    }

    @Test("both halves must be the program's to see")
    func groups() throws {
        let stage = try IdentityStage()
        #expect(stage.keychain.store(try stage.first.parsed, ["agrp": .string("g")]).code == .success)
        #expect(stage.keychain.store(try stage.first.key, ["agrp": .string("h")]).code == .success)
        #expect(stage.keychain.count(.identity) == 1)
        for group in ["g", "h"] {
            #expect(stage.keychain.count(.identity, caller: Caller(name: "a", accessGroups: [group])) == 0)
            #expect(stage.keychain.count(.identity, ["agrp": .string(group)]) == 0)
        }
        #expect(stage.keychain.call(.find, .identity, ["agrp": .string("x")]).code == .missingEntitlement)
    }

    @Test("a locked half closes the identity")
    func locked() throws {
        let auth = try AuthenticationStage()
        let stage = try IdentityStage(auth.keychain)
        #expect(try stage.add(stage.first).code == .success)
        auth.lock()
        for query in [[:], ["labl": .string("First")], ["klbl": .data(try stage.first.key.publicKey.digest)]]
            as [[String: PropertyValue]]
        {
            #expect(stage.keychain.call(.find, .identity, query).code == .interactionNotAllowed)
        }
        #expect(stage.keychain.call(.find, .identity, ["labl": .string("absent")]).code == .itemNotFound)
        // By name it is deleted all the same.
        let certificate = try stage.first.parsed
        let name = IdentityStage.name(certificate, try #require(certificate.publicKey))
        #expect(stage.keychain.call(.delete, .identity, name).affectedRows == 2)
        #expect(stage.keychain.status?.itemCounts["keys"] == 0)
    }

    @Test("a key with conditions is asked for once")
    func conditions() throws {
        let auth = try AuthenticationStage()
        let stage = try IdentityStage(auth.keychain)
        #expect(stage.keychain.store(try stage.first.parsed).code == .success)
        #expect(
            stage.keychain.store(try stage.first.key, ["accc": try AuthenticationStage.control(.userPresence)]).code
                == .success)
        auth.person.will(.cancel, .match)
        #expect(stage.keychain.call(.find, .identity, ["r_Ref": .boolean(true)]).code == .userCanceled)
        #expect(stage.keychain.call(.find, .identity, ["r_Ref": .boolean(true)]).object != nil)
        #expect(auth.person.prompts.count == 2)
    }

    @Test("match keys look into the certificate")
    func matches() throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first).code == .success)
        #expect(stage.add(try stage.renewed(), try stage.first.key).code == .success)
        let byIssuer: [String: PropertyValue] = ["m_Issuers": .array([.data(try stage.root.parsed.subject)])]
        #expect(stage.keychain.count(.identity) == 2)
        #expect(stage.keychain.count(.identity, byIssuer) == 1)
        #expect(stage.keychain.count(.identity, ["m_ValidOnDate": .null]) == 2)
        let late = PropertyValue.date(stage.keychain.clock.wallTime().seconds + 15 * 86_400)
        #expect(stage.keychain.count(.identity, ["m_ValidOnDate": late]) == 1)
        #expect(stage.keychain.count(.identity, ["m_TrustedOnly": .boolean(true)]) == 0)
        #expect(
            stage.keychain.call(.find, .identity, byIssuer.merging(["r_Data": .boolean(true)]) { $1 }).data()
                == (try stage.first.key.externalRepresentation.withBytes { Array($0) }))
    }

    @Test("an identity of an enclave's key")
    func enclave() throws {
        let stage = try IdentityStage()
        let key = try stage.keychain.makeKey()
        let (certificate, added) = try stage.add(key, ["r_Ref": .boolean(true)])
        #expect(added.code == .success)
        #expect(added.object == .identity(key: .enclaveKey(blob: key.blob), certificateSecret: 0))
        let found = stage.keychain.call(.find, .identity, ["r_Ref": .boolean(true)])
        #expect(found.object == .identity(key: .enclaveKey(blob: key.blob), certificateSecret: 0))
        #expect(found.secrets.first?.withBytes { Array($0) } == certificate.der)
        #expect(stage.keychain.call(.find, .identity, ["r_Data": .boolean(true)]).result == nil)
        #expect(stage.keychain.call(.delete, .identity).affectedRows == 2)
        #expect(stage.keychain.sign(key).rule == .enclaveKeyDeleted)
    }

    @Test(
        "a half that was touched is set aside, and the rest stays",
        arguments: [
            "UPDATE keys SET secret = x''", "UPDATE keys SET attributes = x''", "UPDATE cert SET attributes = x''",
            "UPDATE cert SET itemkey = NULL",
        ])
    func damage(sql: String) throws {
        let stage = try IdentityStage()
        #expect(try stage.add(stage.first).code == .success)
        try stage.keychain.raw { try $0.execute(sql: sql) }
        #expect(stage.keychain.call(.find, .identity, ["r_Ref": .boolean(true)]).code == .itemNotFound)
        #expect(stage.keychain.status?.quarantinedRows == 1)
        #expect(try stage.add(stage.first).code == .success)
        #expect(stage.keychain.count(.identity) == 1)
    }

    @Test("tokens that were moved join nothing that does not belong together")
    func movedTokens() throws {
        let stage = try IdentityStage()
        #expect(stage.keychain.store(try stage.first.key).code == .success)
        #expect(stage.keychain.store(try stage.first.parsed).code == .success)
        #expect(stage.keychain.store(try stage.second.parsed).code == .success)
        try stage.keychain.raw {
            try $0.execute(
                sql: "UPDATE cert SET t_pkhh = (SELECT t_pkhh FROM cert ORDER BY rowid LIMIT 1)")
        }
        let reply = stage.keychain.call(
            .find, .identity, ["m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true)])
        #expect(reply.list.count == 1)
    }
}
