import LatchkeyCodeSignature
package import LatchkeyKeychainMessages
import LatchkeyThreading

/// Where prompts wait for somebody who can show them: a port of this process, or agents.
///
/// An agent of the asking process itself comes first if no other agent has a higher assurance level, then the agent of
/// the highest level, of those the one that registered last. An agent shows one prompt at a time.
package final class PromptDesk: @unchecked Sendable {
    // Sendable because everything that changes is only touched inside of the condition's lock.
    enum Outcome: Sendable {
        case answered(PromptAnswer)
        /// Nobody is there who could show a prompt.
        case nobody

        /// Why the person gave no answer; nil for an answer.
        /// - Parameter cancellation: of the wait: a prompt that its program took away was cancelled by it.
        func failure(of cancellation: Cancellation) -> AuthenticationFailure? {
            switch self {
            case .answered(.secret), .answered(.fallback): nil
            case .nobody: .noAgent
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

    private struct Agent {
        let caller: Caller
        let order: UInt64
    }

    private struct OpenPrompt {
        let prompt: Prompt
        let asking: Int32?
        let cancellation: Cancellation
        var agent: ObjectIdentifier
        var isShown = false
        var answer: PromptAnswer?
    }

    /// How long an agent's question may wait for its answer: after that it asks again, so that dead connections show.
    private static let pollNanoseconds = 1_000_000_000

    private let condition = WaitCondition()
    private var local: (any PromptPort)?
    private let localTurns = Turns()
    private var agents: [ObjectIdentifier: Agent] = [:]
    private var prompts: [PromptIdentifier: OpenPrompt] = [:]
    private var count = UInt64.random(in: 0..<1 << 62)

    /// Prompts go to this port from now on.
    package func attach(local port: any PromptPort) {
        condition.withLock { local = port }
    }

    /// The desk's side of a connection that may become an agent.
    package func agent(for caller: Caller) -> AgentHandle {
        AgentHandle(desk: self, caller: caller)
    }

    var hasSomebody: Bool { condition.withLock { local != nil || !agents.isEmpty } }

    /// Asks a person. Blocks; `whenShown` is called at most once, as soon as the person can see the prompt.
    func ask(
        _ prompt: Prompt, for caller: Caller, until cancellation: Cancellation, whenShown: () -> Void = {}
    ) -> Outcome {
        if let local = condition.withLock({ local }) {
            let answer = localTurns.inTurn(cancellation) {
                whenShown()
                return local.ask(prompt, until: cancellation)
            }
            return .answered(answer ?? (cancellation.isCancelled ? .withdrawn : .timedOut))
        }
        guard let id = open(prompt, caller.process?.processID, cancellation) else { return .nobody }
        condition.wakeAll(when: cancellation)
        defer { close(id) }
        guard wait(for: id, cancellation, until: { $0.isShown || $0.answer != nil }) else {
            return .answered(cancellation.isCancelled ? .withdrawn : .timedOut)
        }
        whenShown()
        guard wait(for: id, cancellation, until: { $0.answer != nil }) else {
            return .answered(cancellation.isCancelled ? .withdrawn : .timedOut)
        }
        return condition.withLock { prompts[id]?.answer.map { .answered($0) } } ?? .nobody
    }

    private func open(_ prompt: Prompt, _ asking: Int32?, _ cancellation: Cancellation) -> PromptIdentifier? {
        condition.withLock {
            guard let agent = chosenAgent(for: asking) else { return nil }
            count += 1
            let id = PromptIdentifier(count)
            prompts[id] = OpenPrompt(prompt: prompt, asking: asking, cancellation: cancellation, agent: agent)
            condition.wakeAll()
            return id
        }
    }

    private func close(_ id: PromptIdentifier) {
        condition.withLock {
            prompts[id] = nil
            condition.wakeAll()
        }
    }

    /// False if the cancellation is over first.
    private func wait(
        for id: PromptIdentifier, _ cancellation: Cancellation, until isDone: (OpenPrompt) -> Bool
    ) -> Bool {
        condition.withLock {
            while let prompt = prompts[id] {
                if isDone(prompt) { return true }
                if cancellation.isOver { return false }
                condition.wait(until: cancellation)
            }
            return true
        }
    }

    private func chosenAgent(for asking: Int32?) -> ObjectIdentifier? {
        guard let highest = agents.values.map(\.caller.level).max() else { return nil }
        let best = agents.filter { $0.value.caller.level == highest }
        let ofTheSameProcess = best.filter { asking != nil && $0.value.caller.process?.processID == asking }
        let candidates = ofTheSameProcess.isEmpty ? best : ofTheSameProcess
        return candidates.max { $0.value.order < $1.value.order }?.key
    }
}

/// What agents ask, each through its handle.
extension PromptDesk {
    fileprivate func register(_ agent: AgentHandle) {
        condition.withLock {
            count += 1
            agents[ObjectIdentifier(agent)] = Agent(caller: agent.caller, order: count)
        }
    }

    /// Its prompts go to the next agent; where there is none they have failed.
    fileprivate func remove(_ agent: AgentHandle) {
        let key = ObjectIdentifier(agent)
        condition.withLock {
            guard agents.removeValue(forKey: key) != nil else { return }
            for (id, prompt) in prompts where prompt.agent == key && prompt.answer == nil {
                if let next = chosenAgent(for: prompt.asking) {
                    prompts[id]?.agent = next
                    prompts[id]?.isShown = false
                } else if prompt.isShown {
                    prompts[id]?.answer = .failed(reason: "the program that showed it ended")
                } else {
                    prompts[id] = nil
                }
            }
            condition.wakeAll()
        }
    }

    fileprivate func nextPrompt(for agent: AgentHandle) -> AgentReply {
        let key = ObjectIdentifier(agent)
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            while agents[key] != nil {
                let waiting = prompts.filter { $0.value.agent == key && !$0.value.isShown && $0.value.answer == nil }
                if let (id, prompt) = waiting.min(by: { $0.key.number < $1.key.number }) {
                    prompts[id]?.isShown = true
                    condition.wakeAll()
                    return .prompt(id, prompt.prompt, seconds: prompt.cancellation.secondsLeft)
                }
                guard condition.wait(until: deadline) else { return .nothing }
            }
            return .nothing
        }
    }

    fileprivate func take(_ answer: PromptAnswer, to id: PromptIdentifier, from agent: AgentHandle) {
        condition.withLock {
            guard let prompt = prompts[id], prompt.agent == ObjectIdentifier(agent), prompt.answer == nil else {
                return
            }
            prompts[id]?.answer = answer
            condition.wakeAll()
        }
    }

    fileprivate func waitForEnd(of id: PromptIdentifier) -> Bool {
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            while let prompt = prompts[id], prompt.answer == nil, !prompt.cancellation.isOver {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }
}

/// One connection to the desk: an agent as soon as it registers.
package final class AgentHandle: Sendable {
    private let desk: PromptDesk
    let caller: Caller

    fileprivate init(desk: PromptDesk, caller: Caller) {
        self.desk = desk
        self.caller = caller
    }

    /// Questions that wait are answered after a second at the latest.
    package func perform(_ request: AgentRequest) -> AgentReply {
        switch request {
        case .register:
            desk.register(self)
            return .done
        case .nextPrompt: return desk.nextPrompt(for: self)
        case .answer(let id, let answer):
            desk.take(answer, to: id, from: self)
            return .done
        case .waitForEnd(let id): return .isOver(desk.waitForEnd(of: id))
        }
    }

    /// The connection is over.
    package func leave() {
        desk.remove(self)
    }
}
