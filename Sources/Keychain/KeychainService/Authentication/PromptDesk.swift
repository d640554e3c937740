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
package final class PromptDesk: @unchecked Sendable {
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

    private struct Agent {
        var caller: Caller
        let order: UInt64

        var level: AssuranceLevel { caller.isRoot ? .a : caller.level }
    }

    private struct OpenPrompt {
        let prompt: Prompt
        let asking: Caller
        let cancellation: Cancellation
        var agent: ObjectIdentifier
        var isShown = false
        var answer: PromptAnswer?
    }

    /// The longest wait of an agent's question. After that the agent asks again, so that dead connections are noticed.
    private static let pollNanoseconds = 1_000_000_000

    private let condition = WaitCondition()
    private let requiredLevel: @Sendable () -> AssuranceLevel
    private var local: (any PromptPort)?
    private let localTurns = Turns()
    private var agents: [ObjectIdentifier: Agent] = [:]
    private var prompts: [PromptIdentifier: OpenPrompt] = [:]
    private var count = UInt64.random(in: 0..<1 << 62)

    /// - Parameter requiredLevel: returns the weakest level of programs that the device serves now.
    package init(requiredLevel: @escaping @Sendable () -> AssuranceLevel = { .c }) {
        self.requiredLevel = requiredLevel
    }

    /// Sends all prompts to this port from now on.
    package func attach(local port: any PromptPort) {
        condition.withLock { local = port }
    }

    /// Returns the level that an agent must have to show a prompt of the caller.
    private func levelNeeded(for caller: Caller) -> AssuranceLevel {
        Self.levelNeeded(for: caller, onDeviceFor: requiredLevel())
    }

    private static func levelNeeded(for caller: Caller, onDeviceFor required: AssuranceLevel) -> AssuranceLevel {
        caller.level == .a ? .a : required
    }

    /// The number of prompts that are assigned to an agent and not shown yet.
    var testOnlyWaitingPrompts: Int { condition.withLock { prompts.count { !$0.value.isShown } } }

    /// Returns the reason why the user cannot be prompted for the caller now; nil if it is possible.
    func obstacle(for caller: Caller) -> AuthenticationFailure? {
        let level = levelNeeded(for: caller)
        let isSomebodyThere = condition.withLock { local != nil || chosenAgent(for: caller, level) != nil }
        return isSomebodyThere ? nil : .noAgent(ofLevel: level)
    }

    /// Prompts the user. Blocks. `whenShown` is called at most once, as soon as the user can see the prompt.
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
        return condition.withLock { prompts[id]?.answer.map { .answered($0) } }
            ?? .nobody(needed: levelNeeded(for: caller))
    }

    private func open(_ prompt: Prompt, _ asking: Caller, _ cancellation: Cancellation) -> PromptIdentifier? {
        let level = levelNeeded(for: asking)
        return condition.withLock {
            guard let agent = chosenAgent(for: asking, level) else { return nil }
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

    /// Returns false if the cancellation is over first.
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

    /// To be called under the condition's lock. `level` is read before, because it may come from the database.
    private func chosenAgent(for asking: Caller, _ level: AssuranceLevel) -> ObjectIdentifier? {
        guard let highest = agents.values.map(\.level).max(), highest >= level else { return nil }
        let best = agents.filter { $0.value.level == highest }
        let process = asking.process?.processID
        let ofTheSameProcess = best.filter { process != nil && $0.value.caller.process?.processID == process }
        let candidates = ofTheSameProcess.isEmpty ? best : ofTheSameProcess
        return candidates.max { $0.value.order < $1.value.order }?.key
    }
}

/// The questions of agents, each through its handle.
extension PromptDesk {
    func register(_ agent: AgentHandle, as caller: Caller) {
        let required = requiredLevel()
        condition.withLock {
            count += 1
            agents[ObjectIdentifier(agent)] = Agent(caller: caller, order: count)
            reassignPrompts(onDeviceFor: required)
        }
    }

    /// Updates the caller of an agent: the level of its program may change while it is connected, with the trust in its
    /// team.
    func note(_ caller: Caller, of agent: AgentHandle) {
        condition.withLock { agents[ObjectIdentifier(agent)]?.caller = caller }
    }

    /// Removes an agent. Its prompts go to the next agent, and fail if there is none.
    func remove(_ agent: AgentHandle) {
        let key = ObjectIdentifier(agent)
        let required = requiredLevel()
        condition.withLock {
            guard agents.removeValue(forKey: key) != nil else { return }
            for (id, prompt) in prompts where prompt.agent == key && prompt.answer == nil {
                let level = Self.levelNeeded(for: prompt.asking, onDeviceFor: required)
                if let next = chosenAgent(for: prompt.asking, level) {
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

    /// To be called under the condition's lock. The device may have demanded another level since these prompts were
    /// assigned. Those that are not shown yet are assigned to agents that have the level now.
    private func reassignPrompts(onDeviceFor required: AssuranceLevel) {
        for (id, prompt) in prompts where !prompt.isShown && prompt.answer == nil {
            let level = Self.levelNeeded(for: prompt.asking, onDeviceFor: required)
            if let agent = agents[prompt.agent], agent.level >= level { continue }
            guard let next = chosenAgent(for: prompt.asking, level) else { continue }
            prompts[id]?.agent = next
            condition.wakeAll()
        }
    }

    func nextPrompt(for agent: AgentHandle) -> NextPrompt {
        let key = ObjectIdentifier(agent)
        let required = requiredLevel()
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            reassignPrompts(onDeviceFor: required)
            while agents[key] != nil {
                let level = agents[key]?.level ?? .c
                let waiting = prompts.filter {
                    // The level may have been demanded after the prompt was assigned to this agent.
                    $0.value.agent == key && !$0.value.isShown && $0.value.answer == nil
                        && level >= Self.levelNeeded(for: $0.value.asking, onDeviceFor: required)
                }
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

    func take(_ answer: PromptAnswer, to id: PromptIdentifier, from agent: AgentHandle) {
        condition.withLock {
            guard let prompt = prompts[id], prompt.agent == ObjectIdentifier(agent), prompt.answer == nil else {
                return
            }
            prompts[id]?.answer = answer
            condition.wakeAll()
        }
    }

    func waitForEnd(of id: PromptIdentifier) -> Bool {
        let deadline = WaitCondition.Deadline(afterNanoseconds: Self.pollNanoseconds)
        return condition.withLock {
            while let prompt = prompts[id], prompt.answer == nil, !prompt.cancellation.isOver {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }
}
