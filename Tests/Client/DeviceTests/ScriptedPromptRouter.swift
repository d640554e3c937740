import Dispatch
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import Synchronization

/// A daemon of this process that has one prompt, and refuses one kind of question.
///
/// It answers each other question once and refuses it the second time. Questions after a refusal on the same connection
/// are only noted, and end it: so an agent that goes on asking fails its test instead of asking for ever.
final class ScriptedPromptRouter: AgentAnswers, Sendable {
    private struct Line {
        let watch: HangUpWatch
        /// The numbers of the questions, in their order.
        var questions: [Int64] = []
    }

    private struct State {
        var lines: [Line] = []
        var answers: [AnswerPrompt] = []
        var isFirstLineClosed = false
    }

    static let refusal = Refusal(ruleName: Rule.assuranceLevelTooLow.rawValue, reason: "r", advice: "a")
    static let identifier = PromptIdentifier(7)

    private let refused: any AgentQuestion.Type
    private let state = Mutex(State())
    private let waitEnded = DispatchSemaphore(value: 0)

    init(refusing refused: any AgentQuestion.Type) {
        self.refused = refused
    }

    /// The numbers of the questions of each connection, in the order in which the agent connected.
    var lines: [[Int64]] { state.withLock { $0.lines.map(\.questions) } }
    /// The answers of the agent to the prompt that were not refused.
    var answers: [AnswerPrompt] { state.withLock { $0.answers } }
    /// The agent had ended its first connection when it came to register again.
    var isFirstLineClosed: Bool { state.withLock { $0.isFirstLineClosed } }

    /// Blocks until the connection is over on which the agent waited for the end of the prompt.
    func waitForEndOfWait() {
        waitEnded.wait()
    }

    func listen(at path: String) throws -> Server {
        let server = Server(
            listener: try Listener(path: path), admission: { _ in .allowed }, log: { _ in }
        ) { connection throws(TransportFailure) in try self.serve(connection) }
        try server.start()
        return server
    }

    private func serve(_ connection: ServerConnection) throws(TransportFailure) {
        let watch = connection.hangUpWatch
        let line = state.withLock { state in
            state.lines.append(Line(watch: watch))
            return state.lines.count - 1
        }
        defer { if lines[line].contains(AwaitEndOfPrompt.number) { waitEnded.signal() } }
        while let question = try Self.question(from: connection) {
            guard note(question, on: line) else {
                try connection.send(MessageCoding.encode(AgentRefusal(Self.refusal)))
                if let next = try Self.question(from: connection) { note(next, on: line) }
                return
            }
            try connection.send(reply(to: question))
        }
    }

    /// Nil at the end of the connection.
    private static func question(from connection: ServerConnection) throws(TransportFailure) -> (any AgentQuestion)? {
        guard let message = try connection.receive(),
            case .agent(let question)? = try? MessageCoding.decodeRequest(body: message.body, secrets: message.secrets)
        else { return nil }
        return question
    }

    /// - Returns: whether the question is answered.
    @discardableResult
    private func note<Question: AgentQuestion>(_ question: Question, on line: Int) -> Bool {
        state.withLock { state in
            let isFirst = !state.lines.contains { $0.questions.contains(Question.number) }
            if Question.self == RegisterAgent.self { state.isFirstLineClosed = state.lines[0].watch.hasHungUp }
            state.lines[line].questions.append(Question.number)
            return isFirst && Question.self != refused
        }
    }

    private func reply<Question: AgentQuestion>(to question: Question) -> WireMessage {
        Question.message(of: question.answer(by: self))
    }

    func answer(_ question: RegisterAgent) -> AgentDone { AgentDone() }

    func answer(_ question: AwaitPrompt) -> NextPrompt {
        .prompt(Self.identifier, Prompt(kind: .passcode, program: "app", reason: "because"), seconds: nil)
    }

    func answer(_ question: AnswerPrompt) -> AgentDone {
        state.withLock { $0.answers.append(question) }
        return AgentDone()
    }

    func answer(_ question: AwaitEndOfPrompt) -> PromptEnd { PromptEnd(isOver: true) }
}
