import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import LatchkeyKeychainService

@Suite("A context keeps what was proved, as long as it lasts")
struct ContextTests {
    @Test("one prompt serves several calls of a session, and each then is one message to the enclave")
    func severalCalls() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.store("b", .biometryAny)
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.find("a", session: session).text == "s3cret")
        for name in ["a", "b", "a"] {
            let messages = stage.mailbox.messages { #expect(stage.find(name, session: session).text == "s3cret") }
            #expect(messages == ["UnwrapKeys"])
        }
        #expect(stage.update("b", secret: "new", session: session).code == .success)
        #expect(stage.find("b", session: session).text == "new")
        #expect(stage.person.prompts.count == 1)
    }

    @Test("an evaluation before the call serves the call")
    func evaluatedBefore() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.evaluate(.biometry, session: session).error == nil)
        #expect(stage.find("a", session: session).text == "s3cret")
        #expect(stage.evaluate(.deviceOwner, session: session).error == nil)
        #expect(stage.person.prompts.count == 1)
    }

    @Test("a call without a context has one of its own, which ends with it")
    func ephemeral() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        for _ in 0..<3 {
            stage.person.will(.match)
            #expect(stage.find("a").text == "s3cret")
        }
        #expect(stage.person.prompts.count == 3)
        #expect(stage.mailbox.count(of: "OpenContext") == 3)
        #expect(stage.mailbox.count(of: "CloseContext") == 3)
    }

    @Test("a call that does not name the context of its connection gains nothing from it, and gives it nothing")
    func unnamed() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode)
        let session = stage.openSession()
        let permitted = Caller(name: "tool", accessGroups: ["g"], mayGivePasscode: true)
        try stage.service.ask(SetContextPasscode(secret("1234")), caller: permitted, session: session)
        let request = ItemRequest(
            operation: .find, query: [QueryPair("class", .string("genp")), QueryPair("acct", .string("a"))],
            wantsResult: false)
        stage.person.will(.cancel)
        #expect(
            stage.service.perform(request, caller: permitted, session: session).code == .userCanceled,
            "the passcode was for the context")
        stage.person.will(.type("1234"))
        #expect(stage.service.perform(request, caller: permitted, session: session).code == .success)
        #expect(stage.find("a", session: session).text == "s3cret", "with the passcode that waited")
        #expect(stage.person.prompts.count == 2)
    }

    @Test("a context that has ended proves nothing, and its calls are refused")
    func ended() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.store("b", [])
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.find("a", session: session).code == .success)
        session.end()
        #expect(stage.mailbox.count(of: "OpenContext") == stage.mailbox.count(of: "CloseContext"))
        for name in ["a", "b"] {
            let reply = stage.find(name, session: session)
            #expect(reply.code == .authFailed && reply.refusal?.rule == .contextEnded)
        }
        let questions: [any AuthenticationQuestion] = [
            EvaluatePolicy(.deviceOwner, Interaction()), CheckPolicy(.deviceOwner), DescribeBiometry(),
            SetContextPassword(nil), SetContextPasscode(nil),
            EvaluateAccessControl(AccessControl(protection: .always), for: .decrypt, Interaction()),
        ]
        for question in questions {
            let refusal = stage.service.refusal(of: question, session: session)
            #expect(refusal?.error == .invalidContext && refusal?.refusal.rule == .contextEnded)
        }
        session.end()
        #expect(stage.person.prompts.count == 1)
    }

    @Test("a session that was not ended ends with its last use")
    func forgotten() throws {
        let stage = try AuthenticationStage()
        do {
            let session = stage.openSession()
            stage.person.will(.match)
            #expect(stage.evaluate(.biometry, session: session).error == nil)
        }
        #expect(stage.mailbox.count(of: "CloseContext") == 1)
    }

    @Test("a session without proofs costs the enclave nothing")
    func unused() throws {
        let stage = try AuthenticationStage()
        let messages = stage.mailbox.messages { stage.openSession().end() }
        #expect(messages.isEmpty)
    }

    @Test("plain items cost the same with and without a session, and not one message more than before")
    func plainItems() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        for used in [nil, session] {
            let name = used == nil ? "a" : "b"
            // Keys of classes are there after the first use.
            try stage.store("first " + name, [])
            _ = stage.find("first " + name)
            let messages = stage.mailbox.messages {
                #expect(stage.perform(.add, ["acct": .string(name)], secret: "1", session: used).code == .success)
                #expect(stage.find(name, ["r_Attributes": .boolean(true)], session: used).code == .success)
                #expect(stage.find(name, [:], session: used).code == .success)
                #expect(stage.update(name, ["labl": .string("l")], session: used).code == .success)
                #expect(stage.find(name, session: used).text == "1")
                #expect(stage.perform(.delete, ["acct": .string(name)], session: used).code == .success)
            }
            // The update reads the secret for the item's digest.
            #expect(messages == ["UnwrapKeys", "UnwrapKeys"])
        }
    }

    @Test("an enclave with as many contexts as it keeps says so")
    func tooMany() throws {
        let stage = try AuthenticationStage()
        for _ in 0..<EnclaveLimits.contexts { _ = try stage.keychain.enclave.ask(OpenContext()) }
        let reply = stage.evaluate(.deviceOwner, session: stage.openSession())
        #expect(reply.error == .systemCancel && reply.rule == .tooManyContexts)
        try stage.store("a", .userPresence)
        #expect(stage.find("a").code == .authFailed)
    }
}
