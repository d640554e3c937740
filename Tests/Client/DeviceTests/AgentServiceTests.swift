import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeyThreading
import Testing

@Suite("An agent whose questions are refused")
struct AgentServiceTests {
    /// A person who answers as told.
    private struct Person: PromptPort {
        let answer: @Sendable (Cancellation) -> PromptAnswer

        func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer { answer(cancellation) }
    }

    private struct Unexpected: Error {}

    /// Serves until the desk refuses to register the agent a second time. An agent whose connection ends tries that.
    private func serve(_ desk: ScriptedPromptRouter, _ person: Person) throws {
        let directory = try SocketDirectory()
        let server = try desk.listen(at: directory.path + "/k.sock")
        defer { server.stop() }
        let agent = AgentService(socketPath: directory.path + "/k.sock", port: person)
        #expect(agent.run() == ScriptedPromptRouter.refusal)
    }

    @Test("closes the connection on which its answer was refused, and asks nothing more there")
    func refusedAnswer() throws {
        let desk = ScriptedPromptRouter(refusing: AnswerPrompt.self)
        try serve(desk, Person { _ in .fallback })
        #expect(desk.lines.first == [RegisterAgent.number, AwaitPrompt.number, AnswerPrompt.number])
        #expect(desk.isFirstLineClosed, "before it registered again")
    }

    @Test("stops waiting for the end of a prompt when that is refused, and the prompt is answered all the same")
    func refusedWait() throws {
        let desk = ScriptedPromptRouter(refusing: AwaitEndOfPrompt.self)
        let person = Person { cancellation in
            desk.waitForEndOfWait()
            return cancellation.isCancelled ? .withdrawn : .fallback
        }
        try serve(desk, person)
        #expect(desk.lines.joined().count { $0 == AwaitEndOfPrompt.number } == 1)
        #expect(
            desk.lines.first
                == [RegisterAgent.number, AwaitPrompt.number, AnswerPrompt.number, AwaitPrompt.number])
        #expect(desk.answers.map(\.prompt) == [ScriptedPromptRouter.identifier])
        guard case .fallback? = desk.answers.first?.promptAnswer else { throw Unexpected() }
    }
}
