/// A request for a new authentication context. The context exists until it is closed or the enclave restarts.
package struct OpenContext: BareQuestion {
    package static let numbers = [MessageNumber.contextQuestion(1)]
    package static let traits: QuestionTraits = []

    package init() {}

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> OpenedContext {
        try enclave.answer(self)
    }
}

package enum OpenedContext: EnclaveAnswer, Hashable {
    case opened(ContextIdentifier)
    /// ``EnclaveLimits/contexts`` contexts are open already.
    case tooMany

    package var number: MessageNumber {
        switch self {
        case .opened: .contextAnswer(2)
        case .tooMany: .contextAnswer(4)
        }
    }

    package func write(to writer: inout MessageWriter) {
        if case .opened(let context) = self { writer.context(context) }
    }

    package init?(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        switch number.contextAnswerPart {
        case 2: self = .opened(try reader.context())
        case 4: self = .tooMany
        default: return nil
        }
    }
}
