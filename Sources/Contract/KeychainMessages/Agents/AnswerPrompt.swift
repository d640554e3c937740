package import LatchkeySecretMemory

/// The user's answer to a prompt that this agent shows.
package struct AnswerPrompt: AgentQuestion {
    package typealias Answer = AgentDone

    package static let number: Int64 = 3

    package let prompt: PromptIdentifier
    package let promptAnswer: PromptAnswer

    package init(_ prompt: PromptIdentifier, _ answer: PromptAnswer) {
        self.prompt = prompt
        promptAnswer = answer
    }

    package func write(to writer: inout FieldWriter) {
        writer.promptIdentifier(prompt)
        writer.promptAnswer(promptAnswer)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        prompt = try fields.promptIdentifier()
        promptAnswer = try fields.promptAnswer()
    }

    package func answer(by desk: some AgentAnswers) -> Answer { desk.answer(self) }
}

package enum PromptAnswer: Sendable {
    case secret(SecretBox)
    /// The user cancelled the prompt.
    case cancelled
    /// The user chose the fallback: the passcode instead of a finger.
    case fallback
    /// The caller withdrew the prompt.
    case withdrawn
    /// The user did not answer in time.
    case timedOut
    /// The prompt could not be shown, or failed. `reason` says what happened and what to do.
    case failed(reason: String)
}

private enum AnswerNumber: Int64 {
    case secret = 1
    case cancelled = 2
    case fallback = 3
    case withdrawn = 4
    case timedOut = 5
    case failed = 6
}

extension FieldWriter {
    fileprivate mutating func promptAnswer(_ answer: PromptAnswer) {
        switch answer {
        case .secret(let secret):
            number(.secret)
            self.secret(secret)
        case .cancelled: number(.cancelled)
        case .fallback: number(.fallback)
        case .withdrawn: number(.withdrawn)
        case .timedOut: number(.timedOut)
        case .failed(let reason):
            number(.failed)
            text(reason)
        }
    }

    private mutating func number(_ number: AnswerNumber) {
        integer(number.rawValue)
    }
}

extension MessageFields {
    fileprivate mutating func promptAnswer() throws(MessageCodingFailure) -> PromptAnswer {
        guard let number = AnswerNumber(rawValue: try integer("answer")) else { throw .badField("answer") }
        switch number {
        case .secret: return .secret(try secret("secret"))
        case .cancelled: return .cancelled
        case .fallback: return .fallback
        case .withdrawn: return .withdrawn
        case .timedOut: return .timedOut
        case .failed:
            let reason = try text("reason")
            let limit = MessageCoding.interactionTextByteCount
            guard reason.utf8.count <= limit else {
                throw .tooMany(field: "reason", found: reason.utf8.count, limit: limit)
            }
            return .failed(reason: reason)
        }
    }
}
