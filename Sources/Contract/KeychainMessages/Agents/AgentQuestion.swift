package import LatchkeySecretMemory

/// A question of an agent, the program that shows prompts for a device. An agent has two connections: one for prompts,
/// and one on which it learns that a prompt is over.
package protocol AgentQuestion: NumberedQuestion where Failure == AgentRefusal {
    func answer(by desk: some AgentAnswers) -> Answer
}

extension AgentQuestion {
    package static var traits: KeychainTraits { [] }

    package var message: WireMessage { MessageCoding.numbered(self) }
}

/// A service that answers every question of an agent.
package protocol AgentAnswers {
    func answer(_ question: RegisterAgent) -> AgentDone
    func answer(_ question: AwaitPrompt) -> NextPrompt
    func answer(_ question: AnswerPrompt) -> AgentDone
    func answer(_ question: AwaitEndOfPrompt) -> PromptEnd
}

/// The questions by their numbers.
package enum AgentQuestions {
    package static let all: [any AgentQuestion.Type] = [
        RegisterAgent.self, AwaitPrompt.self, AnswerPrompt.self, AwaitEndOfPrompt.self,
    ]

    private static let byNumber = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })

    static func type(of number: Int64) -> (any AgentQuestion.Type)? { byNumber[number] }
}

extension MessageCoding {
    static func agentQuestion(_ fields: MessageFields) throws(MessageCodingFailure) -> any AgentQuestion {
        var fields = fields
        guard let type = AgentQuestions.type(of: try fields.integer("request")) else { throw .badField("request") }
        let question = try type.init(from: &fields)
        try fields.finish()
        return question
    }
}
