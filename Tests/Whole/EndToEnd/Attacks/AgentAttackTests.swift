import Foundation
import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Prompts and items that are kept to level A reach programs of level A alone")
struct AgentAttackTests {
    private static let passcode = "246810"

    private static func secret() -> SecretBox { SecretBox(copying: Array(passcode.utf8)) }

    /// A device with a passcode and an item of a program that demands level A for itself.
    private struct Scene {
        let stage: ProtectedStage
        let vault: String
        let attacker: String
        let register: String
        let next: String
        let evaluate: String
        let steal: String

        init() throws {
            stage = try ProtectedStage()
            try stage.ask(Forwarded(SetPasscode(AgentAttackTests.secret())))
            vault = try stage.program("vault", isProtected: true, minimumLevel: .a)
            attacker = try stage.unsignedProgram("attacker")
            register = try stage.frame("register", MessageCoding.encode(AgentRequest.register))
            next = try stage.frame("next", MessageCoding.encode(AgentRequest.nextPrompt))
            evaluate = try stage.frame(
                "evaluate",
                MessageCoding.encode(
                    EvaluatePolicy(.deviceOwner, Interaction(reason: "Pay 10 EUR"))))
            steal = try stage.frame(
                "steal", Conversation.find("mail", in: stage.group, withPasscode: AgentAttackTests.passcode))
            let add = try stage.frame("add", Conversation.add("mail"))
            #expect(try Conversation.outcomes(try stage.run(vault, ["ask", stage.socket, add]).output) == [.stored])
        }

        /// The replies to an agent in what a program wrote.
        func agentReplies(_ output: String) throws -> [AgentReply] {
            try output.split(separator: "\n").compactMap { Conversation.frame(in: $0) }.map {
                try MessageCoding.decodeAgentReply(body: $0.body, secrets: [])
            }
        }

        /// How an evaluation failed.
        func failure(_ output: String) throws -> Rule? {
            let frame = try #require(Conversation.frame(in: output.split(separator: "\n").first ?? ""))
            let result = try MessageCoding.decodeAnswer(to: EvaluatePolicy.self, body: frame.body, secrets: [])
            if case .failure(let failure) = result { return failure.refusal.rule }
            return nil
        }

        func steal(by program: String) throws -> [Conversation.Outcome] {
            try Conversation.outcomes(try stage.run(program, ["ask", stage.socket, steal]).output)
        }
    }

    @Test("a device that demands level A takes no agent below it, and gives nothing for the passcode there")
    func demandingDevice() throws {
        let scene = try Scene()
        let stage = scene.stage
        try stage.ask(RequireLevel(.a, passcode: Self.secret()))
        let ending = try stage.run(scene.attacker, ["talk", stage.socket, scene.register, scene.next])
        let rules = try scene.agentReplies(ending.output).map { reply -> Rule? in
            if case .refused(let refusal) = reply { refusal.rule } else { nil }
        }
        #expect(rules == [.assuranceLevelTooLow, .assuranceLevelTooLow], "\(ending.errors)")
        #expect(try scene.steal(by: scene.attacker) == [.noGroups(.assuranceLevelTooLow)])
        // Nor does it have anybody asked.
        let asked = try stage.run(scene.attacker, ["ask", stage.socket, scene.evaluate])
        #expect(try scene.failure(asked.output) == .assuranceLevelTooLow)
        // The passcode is the right one: root gets the item with it.
        let reply = RemoteKeychain(socketPath: stage.socket).perform(
            Conversation.find("mail", in: stage.group, withPasscode: Self.passcode))
        #expect(reply.code == .success)
    }

    @Test("on a device that serves all, a program of level A is protected in the same way")
    func demandingProgram() throws {
        let scene = try Scene()
        let stage = scene.stage
        #expect(try scene.steal(by: scene.attacker) == [.noGroups(.assuranceLevelTooLow)])
        let signed = try stage.program("signed", isProtected: false)
        // It has the group by itself; what it has not is the owner's way there.
        #expect(try scene.steal(by: signed) == [.noGroups(.assuranceLevelTooLow)])
        // The attacker is an agent, but not for this prompt.
        let agent = try stage.waiting(
            scene.attacker, ["serve-prompt", stage.socket, scene.register, scene.next])
        _ = try agent.waitUntilReady()
        let refused = try stage.run(scene.vault, ["ask", stage.socket, scene.evaluate])
        #expect(try scene.failure(refused.output) == .agentLevelTooLow)
        // An agent of level A is shown it, though the other one came later.
        let trusted = try stage.waiting(
            try stage.program("agent", isProtected: true),
            ["serve-prompt", stage.socket, scene.register, scene.next])
        _ = try trusted.waitUntilReady()
        let later = try stage.waiting(
            scene.attacker, ["serve-prompt", stage.socket, scene.register, scene.next])
        _ = try later.waitUntilReady()
        let asking = try stage.waiting(scene.vault, ["ask", stage.socket, scene.evaluate])
        let replies = try scene.agentReplies(try trusted.finish())
        guard case .prompt(_, let prompt, _)? = replies.last else {
            Issue.record("\(replies)")
            return
        }
        #expect(prompt.level == .a)
        #expect(prompt.reason == "Pay 10 EUR")
        // It ended without an answer, and nobody else is asked.
        #expect(try scene.failure(try asking.finish()) == .promptFailed)
    }
}
