package import LatchkeyAccessControl
package import LatchkeyEnclaveContract

/// Evaluates an access control for one operation on its item or key.
package struct EvaluateAccessControl: EvaluationQuestion {
    package typealias Answer = AuthenticationDone

    package static let number: Int64 = 3

    package let accessControl: AccessControl
    package let operation: GuardedOperation
    package let interaction: Interaction

    package init(_ accessControl: AccessControl, for operation: GuardedOperation, _ interaction: Interaction) {
        self.accessControl = accessControl
        self.operation = operation
        self.interaction = interaction
    }

    package var demand: AuthenticationDemand { .accessControl(accessControl, operation) }

    package func write(to writer: inout FieldWriter) {
        writer.accessControl(accessControl)
        writer.text(operation.rawValue)
        writer.interaction(interaction)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        accessControl = try fields.accessControl()
        guard let operation = GuardedOperation(rawValue: try fields.text("operation")) else {
            throw .badField("operation")
        }
        self.operation = operation
        interaction = try fields.interaction()
    }

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}
