import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

@Suite struct AbandonedSearchTests {
    @Test("a search whose program went away ends before it opens anything", arguments: [true, false])
    func search(_ isGone: Bool) throws {
        let keychain = try TestKeychain()
        keychain.add("a", "1")
        let session = ServiceSession(service: keychain.service, hasHungUp: { isGone })
        defer { session.end() }
        let request = ItemRequest(
            operation: .find,
            query: [QueryPair("class", .string("genp")), QueryPair("r_Data", .boolean(true))], wantsResult: true)
        var reply = ItemReply(code: .success)
        let opened = keychain.mailbox.itemKeys {
            reply = keychain.service.perform(request, caller: TestKeychain.caller, session: session)
        }
        #expect(reply.code == (isGone ? .userCanceled : .success))
        #expect(reply.secrets.count == (isGone ? 0 : 1))
        #expect(opened == (isGone ? 0 : 1))
    }

    @Test("a look at what a change of fingers would end stops when its program went away", arguments: [true, false])
    func endings(_ isGone: Bool) throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        let session = ServiceSession(service: stage.service, hasHungUp: { isGone })
        defer { session.end() }
        do throws(DeviceRefusal) {
            let preview = try stage.service.ask(
                PreviewEndings(.fingerChange), caller: TestKeychain.caller, session: session)
            #expect(!isGone && preview.counts == ["g": 1])
        } catch {
            guard case .declined(.userCanceled, _) = error, isGone else {
                Issue.record("\(error)")
                return
            }
        }
    }
}
