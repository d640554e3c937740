package import LatchkeyKeychainMessages

extension PromptRouter {
    /// Returns the desk's handle for a connection that may become an agent.
    package func agent(for caller: Caller) -> AgentHandle {
        AgentHandle(desk: self, caller: caller)
    }
}

/// One connection to the desk. It is an agent as soon as it registers.
package final class AgentHandle: Sendable {
    private let desk: PromptRouter
    private let caller: Caller

    fileprivate init(desk: PromptRouter, caller: Caller) {
        self.desk = desk
        self.caller = caller
    }

    /// Answers a question of an agent. A question that waits is answered after a second at most. A program that gets no
    /// groups does not show prompts.
    /// - Parameter now: the agent's program as it is now; nil: as it was when it connected.
    @discardableResult
    package func ask<Question: AgentQuestion>(
        _ question: Question, as now: Caller? = nil
    ) throws(AgentRefusal) -> Question.Answer {
        let caller = now ?? caller
        if let refusal = caller.refusal, !caller.isRoot {
            leave()
            throw AgentRefusal(refusal)
        }
        desk.note(caller, of: self)
        return question.answer(by: AgentDesk(prompts: desk, agent: self, caller: caller))
    }

    /// Removes the agent of a connection that has ended.
    package func leave() {
        desk.remove(self)
    }
}

/// The desk that answers the questions of one agent.
private struct AgentDesk: AgentAnswers {
    let prompts: PromptRouter
    let agent: AgentHandle
    let caller: Caller

    func answer(_ question: RegisterAgent) -> AgentDone {
        prompts.register(agent, as: caller)
        return AgentDone()
    }

    func answer(_ question: AwaitPrompt) -> NextPrompt { prompts.nextPrompt(for: agent) }

    func answer(_ question: AnswerPrompt) -> AgentDone {
        prompts.take(question.promptAnswer, to: question.prompt, from: agent)
        return AgentDone()
    }

    func answer(_ question: AwaitEndOfPrompt) -> PromptEnd {
        PromptEnd(isOver: prompts.waitForEnd(of: question.prompt))
    }
}
