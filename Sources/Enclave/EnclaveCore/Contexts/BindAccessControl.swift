package import LatchkeyAccessControl

/// The access control as an item or key keeps it: with the present enrolment set where it is for that.
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
    /// It cannot be bound now, for the reason of a rule, or never.
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
    /// The answer to what would bind an access control, also when a key was to be made under it.
    static let notBound = contextAnswer(10)
}
