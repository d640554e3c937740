import LatchkeyCodeSignature
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The agents that are connected, and the prompts that wait for them or are shown by them.
///
/// The device may demand another level of agents at any time. It is read before each step, because it may come from the
/// database.
struct PromptBoard {
    private struct Agent {
        var caller: Caller
        let order: UInt64

        var level: AssuranceLevel { caller.isRoot ? .a : caller.level }
    }

    struct OpenPrompt {
        let prompt: Prompt
        let asking: Caller
        let cancellation: Cancellation
        fileprivate(set) var agent: ObjectIdentifier
        fileprivate(set) var isShown = false
        fileprivate(set) var answer: PromptAnswer?
    }

    private var agents: [ObjectIdentifier: Agent] = [:]
    private(set) var prompts: [PromptIdentifier: OpenPrompt] = [:]
    private var count = UInt64.random(in: 0..<1 << 62)

    /// Returns the level that an agent must have to show a prompt of the caller.
    static func levelNeeded(for caller: Caller, onDeviceFor required: AssuranceLevel) -> AssuranceLevel {
        caller.level == .a ? .a : required
    }

    func hasAgent(for asking: Caller, onDeviceFor required: AssuranceLevel) -> Bool {
        chosenAgent(for: asking, onDeviceFor: required) != nil
    }

    func isRegistered(_ agent: ObjectIdentifier) -> Bool { agents[agent] != nil }

    private func chosenAgent(for asking: Caller, onDeviceFor required: AssuranceLevel) -> ObjectIdentifier? {
        let level = Self.levelNeeded(for: asking, onDeviceFor: required)
        guard let highest = agents.values.map(\.level).max(), highest >= level else { return nil }
        let best = agents.filter { $0.value.level == highest }
        let process = asking.process?.processID
        let ofTheSameProcess = best.filter { process != nil && $0.value.caller.process?.processID == process }
        let candidates = ofTheSameProcess.isEmpty ? best : ofTheSameProcess
        return candidates.max { $0.value.order < $1.value.order }?.key
    }

    /// Assigns a new prompt to an agent; nil if no agent may show it.
    mutating func open(
        _ prompt: Prompt, for asking: Caller, _ cancellation: Cancellation, onDeviceFor required: AssuranceLevel
    ) -> PromptIdentifier? {
        guard let agent = chosenAgent(for: asking, onDeviceFor: required) else { return nil }
        count += 1
        let id = PromptIdentifier(count)
        prompts[id] = OpenPrompt(prompt: prompt, asking: asking, cancellation: cancellation, agent: agent)
        return id
    }

    mutating func close(_ id: PromptIdentifier) {
        prompts[id] = nil
    }

    mutating func register(_ agent: ObjectIdentifier, as caller: Caller, onDeviceFor required: AssuranceLevel) {
        count += 1
        agents[agent] = Agent(caller: caller, order: count)
        reassign(onDeviceFor: required)
    }

    /// Updates the caller of an agent.
    mutating func note(_ caller: Caller, of agent: ObjectIdentifier) {
        agents[agent]?.caller = caller
    }

    /// Removes an agent. Its prompts go to the next agent, and fail if there is none.
    mutating func remove(_ agent: ObjectIdentifier, onDeviceFor required: AssuranceLevel) {
        guard agents.removeValue(forKey: agent) != nil else { return }
        for (id, prompt) in prompts where prompt.agent == agent && prompt.answer == nil {
            if let next = chosenAgent(for: prompt.asking, onDeviceFor: required) {
                prompts[id]?.agent = next
                prompts[id]?.isShown = false
            } else if prompt.isShown {
                prompts[id]?.answer = .failed(reason: "the program that showed it ended")
            } else {
                prompts[id] = nil
            }
        }
    }

    /// The device may have demanded another level since these prompts were assigned. Those that are not shown yet are
    /// assigned to agents that have the level now.
    /// - Returns: true if an agent got a prompt.
    @discardableResult
    mutating func reassign(onDeviceFor required: AssuranceLevel) -> Bool {
        var isChanged = false
        for (id, prompt) in prompts where !prompt.isShown && prompt.answer == nil {
            let level = Self.levelNeeded(for: prompt.asking, onDeviceFor: required)
            if let agent = agents[prompt.agent], agent.level >= level { continue }
            guard let next = chosenAgent(for: prompt.asking, onDeviceFor: required) else { continue }
            prompts[id]?.agent = next
            isChanged = true
        }
        return isChanged
    }

    /// Returns the oldest prompt that an agent is to show now, and notes that it is shown.
    mutating func next(
        for agent: ObjectIdentifier, onDeviceFor required: AssuranceLevel
    ) -> (id: PromptIdentifier, prompt: OpenPrompt)? {
        let level = agents[agent]?.level ?? .c
        let waiting = prompts.filter {
            // The level may have been demanded after the prompt was assigned to this agent.
            $0.value.agent == agent && !$0.value.isShown && $0.value.answer == nil
                && level >= Self.levelNeeded(for: $0.value.asking, onDeviceFor: required)
        }
        guard let (id, prompt) = waiting.min(by: { $0.key.number < $1.key.number }) else { return nil }
        prompts[id]?.isShown = true
        return (id, prompt)
    }

    /// Takes the answer of the agent that shows a prompt; ignores a second one, and that of another agent.
    mutating func take(_ answer: PromptAnswer, to id: PromptIdentifier, from agent: ObjectIdentifier) {
        guard let prompt = prompts[id], prompt.agent == agent, prompt.answer == nil else { return }
        prompts[id]?.answer = answer
    }
}
