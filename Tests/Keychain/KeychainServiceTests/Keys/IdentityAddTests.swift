import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite("Identities of which one half is there already")
struct IdentityAddTests {
    private static let everything: [String: PropertyValue] = [
        "r_Attributes": .boolean(true), "r_Data": .boolean(true), "r_Ref": .boolean(true),
        "r_PersistentRef": .boolean(true),
    ]

    @Test("one half may be there already; both are a duplicate")
    func duplicates() throws {
        let stage = try IdentityStage()
        #expect(stage.keychain.store(try stage.first.parsed).code == .success)
        #expect(try stage.add(stage.first).code == .success)
        #expect(try stage.add(stage.first).code == .duplicateItem)
        #expect(stage.keychain.store(try stage.second.key).code == .success)
        let reply = try stage.add(stage.second, ["r_Ref": .boolean(true)])
        #expect(reply.code == .success && reply.object != nil)
        #expect(stage.counts == [2, 2, 2])
        // Another certificate of a key that is there.
        #expect(stage.add(try stage.renewed(), try stage.first.key).code == .success)
        #expect(stage.counts == [3, 3, 2])
    }

    @Test("the answer to an add tells of the half that stayed")
    func answer() throws {
        let stage = try IdentityStage()
        let certificate = try stage.first.parsed
        let former = stage.keychain.store(certificate, ["labl": .string("former"), "r_PersistentRef": .boolean(true)])
        let reply = try stage.add(stage.first, ["labl": .string("new")].merging(Self.everything) { $1 })
        #expect(reply.attributes["labl"] == .string("former"))
        guard case .data(let one)? = former.result, case .data(let other)? = reply.attributes["v_PersistentRef"] else {
            throw Unexpected()
        }
        #expect(one.dropFirst(4) == other.dropFirst(4))
    }

    @Test("a half that stayed asks a person only if something of it is returned")
    func conditionsOfFormer() throws {
        let auth = try AuthenticationStage()
        let stage = try IdentityStage(auth.keychain)
        let control = try AuthenticationStage.control(.userPresence)
        for issued in [stage.first, stage.second] {
            #expect(stage.keychain.store(try issued.key, ["accc": control]).code == .success)
        }
        auth.person.will(.cancel)
        #expect(try stage.add(stage.first, ["r_Attributes": .boolean(true)]).code == .userCanceled)
        #expect(stage.keychain.count(.certificate) == 0)
        auth.person.will(.match)
        let reply = try stage.add(stage.first, Self.everything)
        #expect(reply.code == .success && reply.object != nil)
        #expect(reply.data("v_Data") == (try stage.first.key.externalRepresentation.withBytes { Array($0) }))
        #expect(auth.person.prompts.count == 2)
        #expect(try stage.add(stage.second).code == .success)
        #expect(auth.person.prompts.count == 2)
    }

    @Test("of a locked half that stayed nothing can be returned")
    func lockedFormer() throws {
        let auth = try AuthenticationStage()
        let stage = try IdentityStage(auth.keychain)
        #expect(stage.keychain.store(try stage.first.parsed, ["pdmn": .string("ak")]).code == .success)
        // The key that comes later is of a class that is always open.
        #expect(stage.keychain.store(try stage.second.key, ["pdmn": .string("dk")]).code == .success)
        auth.lock()
        for returns in ["r_PersistentRef", "r_Attributes", "r_Data", "r_Ref"] {
            let reply = try stage.add(stage.first, ["pdmn": .string("dk"), returns: .boolean(true)])
            #expect(reply.code == .interactionNotAllowed)
        }
        #expect(stage.keychain.status?.itemCounts["keys"] == 1)
        #expect(try stage.add(stage.first, ["pdmn": .string("dk")]).code == .success)
        #expect(stage.keychain.status?.itemCounts["keys"] == 2)
    }

    @Test("the data in the answer is that of the half that stayed")
    func dataOfFormer() throws {
        let stage = try IdentityStage()
        let certificate = try stage.first.parsed
        let former = stage.keychain.call(
            .add, .certificate, CertificateAttributes.ofNewItem(certificate).byColumn, data: [1, 2, 3])
        #expect(former.code == .success)
        #expect(try stage.add(stage.first, Self.everything).data("certdata") == [1, 2, 3])
    }
}
