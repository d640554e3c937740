package import LatchkeyAccessControl
package import LatchkeyEnclaveContract

/// Evaluates a policy. Prompts the user for the evidence that the context lacks.
package struct EvaluatePolicy: EvaluationQuestion {
    package typealias Answer = PolicyFulfilment

    package static let number: Int64 = 2

    package let policy: AuthenticationPolicy
    package let interaction: Interaction

    package init(_ policy: AuthenticationPolicy, _ interaction: Interaction) {
        self.policy = policy
        self.interaction = interaction
    }

    package var demand: AuthenticationDemand { .policy(policy) }

    package func write(to writer: inout FieldWriter) {
        writer.policy(policy)
        writer.interaction(interaction)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        policy = try fields.policy()
        interaction = try fields.interaction()
    }

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}
