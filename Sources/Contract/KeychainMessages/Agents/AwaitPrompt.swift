/// Waits for the next prompt for this agent, for about a second. Without registration there is none.
package struct AwaitPrompt: AgentQuestion, BareKeychainQuestion {
    package typealias Answer = NextPrompt

    package static let number: Int64 = 2

    package init() {}

    package func answer(by desk: some AgentAnswers) -> Answer { desk.answer(self) }
}

package enum NextPrompt: Sendable, Hashable {
    case nothing
    /// `seconds` is the time until the prompt expires; nil if it does not expire.
    case prompt(PromptIdentifier, Prompt, seconds: Double?)
}

extension NextPrompt: KeychainReply {
    private static let nothingNumber: Int64 = 1
    private static let promptNumber: Int64 = 2
    /// A day, in milliseconds.
    private static let longestPrompt: Int64 = 86_400_000

    package var replyNumber: Int64 {
        switch self {
        case .nothing: Self.nothingNumber
        case .prompt: Self.promptNumber
        }
    }

    package func write(to writer: inout FieldWriter) {
        guard case .prompt(let identifier, let prompt, let seconds) = self else { return }
        writer.promptIdentifier(identifier)
        writer.prompt(prompt)
        writer.optionalInteger(seconds.map { Self.milliseconds($0) })
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        switch number {
        case Self.nothingNumber: self = .nothing
        case Self.promptNumber:
            let identifier = try fields.promptIdentifier()
            let prompt = try fields.prompt()
            let milliseconds = try fields.optionalInteger("seconds")
            guard (0...Self.longestPrompt).contains(milliseconds ?? 0) else { throw .badField("seconds") }
            self = .prompt(identifier, prompt, seconds: milliseconds.map { Double($0) / 1000 })
        default: return nil
        }
    }

    private static func milliseconds(_ seconds: Double) -> Int64 {
        guard seconds > 0 else { return 0 }
        return Int64(min((seconds * 1000).rounded(.up), Double(longestPrompt)))
    }
}
