package import LatchkeyCodeSignature
package import LatchkeyKeychainMessages
import LatchkeyThreading

/// The prompts that wait for a program to show them: a port of this process, or agents.
///
/// An agent of the calling process itself comes first if no other agent has a higher assurance level. Otherwise it is
/// the agent of the highest level, and among several of them the one that registered last. An agent shows one prompt at
/// a time.
///
/// The user types secrets into an agent. So only agents of level A show a prompt of a program of level A, and a device
/// that demands a level has its prompts shown only by agents of that level. An agent that runs as root may show all of
/// them: other software of the user cannot start it.
package final class PromptRouter: @unchecked Sendable {
    // Sendable because the mutable state is only accessed under the condition's lock.
    enum Outcome: Sendable {
        case answered(PromptAnswer)
        /// There is no agent that may show the prompt. It must have this level.
        case nobody(needed: AssuranceLevel)

        /// Returns the reason why there is no answer; nil for an answer.
        /// - Parameter cancellation: the cancellation of the wait. If it was cancelled, the program withdrew the
        ///   prompt.
        func failure(of cancellation: Cancellation) -> AuthenticationFailure? {
            switch self {
            case .answered(.secret), .answered(.fallback): nil
            case .nobody(let level): .noAgent(ofLevel: level)
            case .answered(.cancelled): .userCancelled
            case .answered(.timedOut): .timedOut
            case .answered(.failed(let reason)): .promptFailed(reason)
            case .answered(.withdrawn):
                if cancellation.isCancelled {
                    .appCancelled
                } else {
                    cancellation.isTimedOut ? .timedOut : .promptFailed("it was taken away")
                }
            }
        }
    }

    /// A port of this process, which shows one prompt at a time.
    private struct LocalPrompts {
        let port: any PromptPort
        let turns: PromptQueue
    }

    /// The longest wait of an agent's question. After that the agent asks again, so that dead connections are noticed.
    private static let pollNanoseconds = 1_000_000_000

    private let condition = WaitCondition()
    private let requiredLevel: @Sendable () -> AssuranceLevel
    private var local: LocalPrompts?
    private var board = PromptBoard()

    /// - Parameter requiredLevel: returns the weakest level of programs that the device serves now.
    package init(requiredLevel: @escaping @Sendable () -> AssuranceLevel = { .c }) {
        self.requiredLevel = requiredLevel
    }

    /// Sends all prompts to this port from now on.
    package func attach(local port: any PromptPort) {
        condition.withLock { local = LocalPrompts(port: port, turns: local?.turns ?? PromptQueue()) }
    }

    /// Returns the level that an agent must have to show a prompt of the caller.
    private func levelNeeded(for caller: Caller) -> AssuranceLevel {
        PromptBoard.levelNeeded(for: caller, onDeviceFor: requiredLevel())
    }

    /// The number of prompts that are assigned to an agent and not shown yet.
    var testOnlyWaitingPrompts: Int { condition.withLock { board.prompts.count { !$0.value.isShown } } }

    /// Returns the reason why the user cannot be prompted for the caller now; nil if it is possible.
    func obstacle(for caller: Caller) -> AuthenticationFailure? {
        let required = requiredLevel()
        let hasAgent = condition.withLock { local != nil || board.hasAgent(for: caller, onDeviceFor: required) }
        return hasAgent ? nil : .noAgent(ofLevel: PromptBoard.levelNeeded(for: caller, onDeviceFor: required))
    }

    /// Prompts the user. Blocks. `whenShown` is called at most once, as soon as the user can see the prompt.
    func ask(
        _ prompt: Prompt, for caller: Caller, until cancellation: Cancellation, whenShown: () -> Void = {}
    ) -> Outcome {
        if let local = condition.withLock({ local }) {
            let answer = local.turns.inTurn(cancellation) {
                whenShown()
                return local.port.ask(prompt, until: cancellation)
            }
            return .answered(answer ?? (cancellation.isCancelled ? .withdrawn : .timedOut))
        }
        guard let id = open(prompt, caller, cancellation) else { return .nobody(needed: levelNeeded(for: caller)) }
        condition.wakeAll(when: cancellation)
        defer { close(id) }
        guard wait(for: id, cancellation, until: { $0.isShown || $0.answer != nil }) else {
            return .answered(cancellation.isCancelled ? .withdrawn : .timedOut)
        }
        whenShown()
        guard wait(for: id, cancellation, until: { $0.answer != nil }) else {
            return .answered(cancellation.isCancelled ? .withdrawn : .timedOut)
        }
        return condition.withLock { board.prompts[id]?.answer.map { .answered($0) } }
            ?? .nobody(needed: levelNeeded(for: caller))
    }

    private func open(_ prompt: Prompt, _ asking: Caller, _ cancellation: Cancellation) -> PromptIdentifier? {
        let required = requiredLevel()
        return change { $0.open(prompt, for: asking, cancellation, onDeviceFor: required) }
    }

    private func close(_ id: PromptIdentifier) {
        change { $0.close(id) }
    }

    private func change<Value>(_ body: (inout PromptBoard) -> Value) -> Value {
        condition.withLock {
            defer { condition.wakeAll() }
            return body(&board)
        }
    }

    /// Returns false if the cancellation is over first.
    private func wait(
        for id: PromptIdentifier, _ cancellation: Cancellation, until isDone: (PromptBoard.OpenPrompt) -> Bool
    ) -> Bool {
        condition.withLock {
            while let prompt = board.prompts[id] {
                if isDone(prompt) { return true }
                if cancellation.isOver { return false }
                condition.wait(until: cancellation)
            }
            return true
        }
    }
}

/// The questions of agents, each through its handle.
extension PromptRouter {
    func register(_ agent: AgentHandle, as caller: Caller) {
        let required = requiredLevel()
        change { $0.register(ObjectIdentifier(agent), as: caller, onDeviceFor: required) }
    }

    /// Updates the caller of an agent: the level of its program may change while it is connected, with the trust in its
    /// team.
    func note(_ caller: Caller, of agent: AgentHandle) {
        condition.withLock { board.note(caller, of: ObjectIdentifier(agent)) }
    }

    /// Removes an agent. Its prompts go to the next agent, and fail if there is none.
    func remove(_ agent: AgentHandle) {
        let required = requiredLevel()
        change { $0.remove(ObjectIdentifier(agent), onDeviceFor: required) }
    }

    func nextPrompt(for agent: AgentHandle) -> NextPrompt {
        let key = ObjectIdentifier(agent)
        let required = requiredLevel()
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            if board.reassign(onDeviceFor: required) { condition.wakeAll() }
            while board.isRegistered(key) {
                if let (id, prompt) = board.next(for: key, onDeviceFor: required) {
                    condition.wakeAll()
                    return .prompt(id, prompt.prompt, seconds: prompt.cancellation.secondsLeft)
                }
                guard condition.wait(until: deadline) else { return .nothing }
            }
            return .nothing
        }
    }

    func take(_ answer: PromptAnswer, to id: PromptIdentifier, from agent: AgentHandle) {
        change { $0.take(answer, to: id, from: ObjectIdentifier(agent)) }
    }

    func waitForEnd(of id: PromptIdentifier) -> Bool {
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            while let prompt = board.prompts[id], prompt.answer == nil, !prompt.cancellation.isOver {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }
}
