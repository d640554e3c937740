/// The refusal of a program that may not be an agent.
package struct AgentRefusal: KeychainFailure, Hashable {
    package let refusal: Refusal

    package init(_ refusal: Refusal) {
        self.refusal = refusal
    }
}

extension AgentRefusal {
    private static let number: Int64 = 5

    package static let questionKind = MessageCoding.Kind.agentRequest
    package static let answerKind = MessageCoding.Kind.agentReply

    package func write(to writer: inout FieldWriter) {
        writer.integer(Self.number)
        writer.value(MessageCoding.value(of: refusal))
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard number == Self.number else { return nil }
        guard let part = try fields.part("refusal") else { throw .fieldMissing("refusal") }
        self.init(try MessageCoding.refusal(part))
    }
}
