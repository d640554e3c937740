package import LatchkeyAccessControl

/// A request for the access control in the form that an item or key stores: with the current enrolment set if it
/// requires the current fingers.
package struct BindAccessControl: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(10)]
    package static let traits: QuestionTraits = .repeatable

    package let accessControl: AccessControl

    package init(_ accessControl: AccessControl) {
        self.accessControl = accessControl
    }

    package func write(to writer: inout MessageWriter) {
        writer.accessControl(accessControl)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(try reader.accessControl())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> BoundAccessControl {
        try enclave.answer(self)
    }
}

package enum BoundAccessControl: EnclaveAnswer, Hashable {
    case bound(AccessControl)
    /// The access control cannot be bound now, because of the rule; nil if it can never be bound.
    case notBound(VerdictRule?)

    package var number: MessageNumber {
        switch self {
        case .bound: .contextAnswer(9)
        case .notBound: .notBound
        }
    }

    package func write(to writer: inout MessageWriter) {
        switch self {
        case .bound(let accessControl): writer.accessControl(accessControl)
        case .notBound(let rule): writer.optionalRule(rule)
        }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number {
        case .contextAnswer(9): self = .bound(try reader.accessControl())
        case .notBound: self = .notBound(try reader.optionalRule())
        default: return nil
        }
    }
}

extension MessageNumber {
    /// The answer if an access control cannot be bound, also when a key is made under it.
    static let notBound = contextAnswer(10)
}
