/// Waits until the prompt is over, for about a second.
package struct AwaitEndOfPrompt: AgentQuestion {
    package typealias Answer = PromptEnd

    package static let number: Int64 = 4

    package let prompt: PromptIdentifier

    package init(_ prompt: PromptIdentifier) {
        self.prompt = prompt
    }

    package func write(to writer: inout FieldWriter) {
        writer.promptIdentifier(prompt)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.promptIdentifier())
    }

    package func answer(by desk: some AgentAnswers) -> Answer { desk.answer(self) }
}

package struct PromptEnd: KeychainAnswer, Hashable {
    package static let replyNumber: Int64 = 3

    package let isOver: Bool

    package init(isOver: Bool) {
        self.isOver = isOver
    }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(isOver)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(isOver: try fields.boolean("is over"))
    }
}
