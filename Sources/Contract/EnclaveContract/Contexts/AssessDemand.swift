package import LatchkeyAccessControl

/// A request to judge a context's evidence without a prompt.
package struct AssessDemand: EnclaveQuestion {
    private static let policy = MessageNumber.contextQuestion(4)
    private static let accessControl = MessageNumber.contextQuestion(5)
    package static let numbers = [policy, accessControl]
    package static let traits: QuestionTraits = .repeatable

    package let demand: AuthenticationDemand
    package let context: ContextIdentifier

    package init(_ demand: AuthenticationDemand, in context: ContextIdentifier) {
        self.demand = demand
        self.context = context
    }

    package var number: MessageNumber {
        switch demand {
        case .policy: Self.policy
        case .accessControl: Self.accessControl
        }
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
        switch demand {
        case .policy(let policy):
            writer.byte(policy.rawValue)
        case .accessControl(let accessControl, let operation):
            writer.accessControl(accessControl)
            writer.member(operation, of: MessageNames.operations)
        }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        guard number == Self.accessControl else {
            demand = .policy(try reader.choice("policy", of: AuthenticationPolicy.self))
            return
        }
        let accessControl = try reader.accessControl()
        demand = .accessControl(accessControl, try reader.member("operation", of: MessageNames.operations))
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<Verdict> {
        try enclave.answer(self)
    }
}

/// The purpose of a context.
package enum AuthenticationDemand: Sendable, Hashable {
    case policy(AuthenticationPolicy)
    /// The access control of an item or key, and the operation it must permit.
    case accessControl(AccessControl, GuardedOperation)
}

extension Verdict: ContextValue {
    package var part: UInt8 {
        switch self {
        case .granted: 5
        case .needs: 6
        case .refused: 7
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .granted: break
        case .needs(let kinds): writer.byte(kinds.rawValue)
        case .refused(let rule): writer.rule(rule)
        }
    }

    package init?(part: UInt8, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch part {
        case 5: self = .granted
        case 6: self = .needs(try reader.evidenceKinds())
        case 7: self = .refused(try reader.rule())
        default: return nil
        }
    }
}

extension MessageReader {
    fileprivate mutating func evidenceKinds() throws(EnclaveMessageFailure) -> AuthenticationFactors {
        let kinds = AuthenticationFactors(rawValue: try byte())
        guard kinds.isSubset(of: [.match, .passcode, .applicationPassword]), !kinds.isEmpty else {
            throw .badValue(field: "evidence", found: UInt64(kinds.rawValue))
        }
        return kinds
    }
}
