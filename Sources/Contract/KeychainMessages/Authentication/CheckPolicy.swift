package import LatchkeyAccessControl

/// Checks whether an evaluation could succeed now. Never prompts.
package struct CheckPolicy: AuthenticationQuestion {
    package typealias Answer = PolicyFulfilment

    package static let number: Int64 = 1
    package static let traits: KeychainTraits = .anyContext

    package let policy: AuthenticationPolicy

    package init(_ policy: AuthenticationPolicy) {
        self.policy = policy
    }

    package func write(to writer: inout FieldWriter) {
        writer.policy(policy)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.policy())
    }

    package func answer<Desk: AuthenticationAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

extension FieldWriter {
    mutating func policy(_ policy: AuthenticationPolicy) {
        integer(Int64(policy.rawValue))
    }
}

extension MessageFields {
    mutating func policy() throws(MessageCodingFailure) -> AuthenticationPolicy {
        guard let number = UInt8(exactly: try integer("policy")), let policy = AuthenticationPolicy(rawValue: number)
        else { throw .badField("policy") }
        return policy
    }
}
