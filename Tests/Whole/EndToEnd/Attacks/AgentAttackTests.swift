import Foundation
import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@Suite(
    "Prompts and items that are kept to level A reach programs of level A alone",
    .needsRoot(to: "run programs of another user and setgid ones"))
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
            register = try stage.frame("register", RegisterAgent().message)
            next = try stage.frame("next", AwaitPrompt().message)
            evaluate = try stage.frame(
                "evaluate", EvaluatePolicy(.deviceOwner, Interaction(reason: "Pay 10 EUR")).message)
            steal = try stage.frame(
                "steal", Conversation.find("mail", in: stage.group, withPasscode: AgentAttackTests.passcode))
            let add = try stage.frame("add", Conversation.add("mail"))
            #expect(try Conversation.outcomes(try stage.run(vault, ["ask", stage.socket, add]).output) == [.stored])
        }

        /// The messages in what a program wrote.
        func messages(_ output: String) -> [WireMessage] {
            output.split(separator: "\n").compactMap { Conversation.frame(in: $0) }.map { WireMessage(body: $0.body) }
        }

        /// The rules by which an agent was refused, at its registration and when it asked for a prompt.
        func agentRules(_ output: String) throws -> [Rule?] {
            let messages = messages(output)
            try #require(messages.count == 2)
            return [
                Self.rule(try RegisterAgent.answer(in: messages[0])),
                Self.rule(try AwaitPrompt.answer(in: messages[1])),
            ]
        }

        private static func rule<Answer>(_ result: Result<Answer, AgentRefusal>) -> Rule? {
            if case .failure(let failure) = result { failure.refusal.rule } else { nil }
        }

        /// Returns the rule that an evaluation failed by.
        func failure(_ output: String) throws -> Rule? {
            let frame = try #require(Conversation.frame(in: output.split(separator: "\n").first ?? ""))
            let result = try EvaluatePolicy.answer(in: WireMessage(body: frame.body))
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
        #expect(
            try scene.agentRules(ending.output) == [.assuranceLevelTooLow, .assuranceLevelTooLow], "\(ending.errors)")
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
        let shown = try AwaitPrompt.answer(in: try #require(scene.messages(try trusted.finish()).last))
        guard case .success(.prompt(_, let prompt, _)) = shown else {
            Issue.record("\(shown)")
            return
        }
        #expect(prompt.level == .a)
        #expect(prompt.reason == "Pay 10 EUR")
        // It ended without an answer, and no other agent is asked.
        #expect(try scene.failure(try asking.finish()) == .promptFailed)
    }
}
