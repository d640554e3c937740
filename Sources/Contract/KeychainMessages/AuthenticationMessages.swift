/// A request of an agent, the program that shows prompts for a device. An agent has two connections: one for prompts,
/// and one on which it learns that a prompt is over.
package enum AgentRequest: Sendable {
    /// Registers this connection as an agent that receives prompts. The answer is ``AgentReply/done``. Without
    /// registration, `nextPrompt` returns nothing. A connection that only waits for the end of prompts does not
    /// register.
    case register
    /// Waits for the next prompt for this agent; returns nothing after some seconds.
    case nextPrompt
    case answer(PromptIdentifier, PromptAnswer)
    /// Waits until the prompt is over, for some seconds at most.
    case waitForEnd(PromptIdentifier)
}

package enum AgentReply: Sendable {
    case nothing
    /// `seconds` is the time until the prompt expires; nil if it does not expire.
    case prompt(PromptIdentifier, Prompt, seconds: Double?)
    case isOver(Bool)
    case done
    /// The program may not be an agent.
    case refused(Refusal)
}

package struct PromptIdentifier: Sendable, Hashable {
    package let number: UInt64

    package init(_ number: UInt64) {
        self.number = number
    }
}
