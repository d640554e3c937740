import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@Suite("Whether a person may be asked")
struct InterfaceTests {
    private static let forbidden: [[String: PropertyValue]] = [
        ["u_AuthUI": .string("u_AuthUIF")], ["u_NoAuthUI": .boolean(true)],
        ["u_NoAuthUI": .boolean(true), "u_AuthUI": .string("u_AuthUIA")],
    ]

    @Test("a query that forbids it fails where a person is needed, and nowhere else", arguments: forbidden)
    func fail(keys: [String: PropertyValue]) throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.store("b", [])
        let query = keys.merging(["r_Data": .boolean(true)]) { $1 }
        let reply = stage.find("a", query)
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .interactionNotAllowed)
        #expect(stage.find("b", query).text == "s3cret")
        let session = stage.openSession()
        #expect(stage.find("a", query, session: session).code == .interactionNotAllowed)
        #expect(stage.person.prompts.isEmpty)
        stage.person.will(.match)
        #expect(stage.find("a", session: session).code == .success)
        #expect(stage.find("a", query, session: session).text == "s3cret", "what was proved before counts")
    }

    @Test("a context that forbids it fails alike")
    func interactionNotAllowed() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let session = stage.openSession()
        let silent = Interaction(isAllowed: false)
        let reply = stage.find("a", session: session, interaction: silent)
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .interactionNotAllowed)
        let evaluation = stage.evaluate(.deviceOwner, silent, session: session)
        #expect(evaluation.error == .notInteractive && evaluation.rule == .interactionNotAllowed)
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("updating where asking is forbidden changes nothing")
    func failingUpdate() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let query: [String: PropertyValue] = ["acct": .string("a"), "u_AuthUI": .string("u_AuthUIF")]
        let reply = stage.perform(.update, query, secret: "new")
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .interactionNotAllowed)
        stage.person.will(.match)
        #expect(stage.find("a").text == "s3cret")
    }

    @Test("where skipping is asked for, such rows are left out, and limit one looks on")
    func skip() throws {
        let stage = try AuthenticationStage()
        for name in ["a", "b", "c"] { try stage.store(name, .userPresence) }
        try stage.store("d", [], secret: "open")
        var query: [String: PropertyValue] = ["u_AuthUI": .string("u_AuthUIS"), "r_Data": .boolean(true)]
        #expect(stage.find("a", query).code == .itemNotFound)
        #expect(stage.perform(.find, query).text == "open")
        query["m_Limit"] = .integer(2)
        #expect(stage.perform(.find, query).text == "open")
        query["m_Limit"] = .string("m_LimitAll")
        #expect(stage.perform(.find, query).text == "open")
        #expect(stage.person.prompts.isEmpty)
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.find("a", session: session).code == .success)
        #expect(stage.perform(.find, query, session: session).secrets.count == 4)
        #expect(stage.quarantined == 0)
    }

    @Test("skipping leaves out items for an application password, and a locked class still fails the call")
    func skipOthers() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        #expect(try stage.add("a", .applicationPassword).code == .success)
        let query: [String: PropertyValue] = ["u_AuthUI": .string("u_AuthUIS"), "r_Data": .boolean(true)]
        #expect(stage.find("a", query).code == .itemNotFound)
        stage.lock()
        #expect(stage.find("a", query).code == .interactionNotAllowed)
        #expect(stage.person.prompts.count == 1)
    }

    @Test("skipping is for searches alone", arguments: [ItemOperation.add, .update, .delete])
    func skipElsewhere(operation: ItemOperation) throws {
        let stage = try AuthenticationStage()
        let reply = stage.perform(operation, ["acct": .string("a"), "u_AuthUI": .string("u_AuthUIS")])
        #expect(reply.code == .param)
    }

    @Test("there is no person who could be asked")
    func nobody() throws {
        let stage = try AuthenticationStage(hasPerson: false)
        try stage.store("a", .userPresence)
        let reply = stage.find("a")
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .noAuthenticationAgent)
        let evaluation = stage.evaluate(.deviceOwner, session: stage.openSession())
        #expect(evaluation.error == .notInteractive && evaluation.rule == .noAuthenticationAgent)
    }
}
