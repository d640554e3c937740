/// Registers this connection as an agent that receives prompts. A connection that only waits for the end of prompts does
/// not register.
package struct RegisterAgent: AgentQuestion, BareKeychainQuestion {
    package typealias Answer = AgentDone

    package static let number: Int64 = 1

    package init() {}

    package func answer(by desk: some AgentAnswers) -> Answer { desk.answer(self) }
}

/// The answer to a question of an agent that is done as asked.
package struct AgentDone: KeychainAnswer, Hashable {
    package static let replyNumber: Int64 = 4

    package init() {}

    package func write(to writer: inout FieldWriter) {}

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init()
    }
}
