/// A request to end the match that the context waits for.
package struct CancelMatch: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(7)]
    package static let traits: QuestionTraits = .repeatable

    package let context: ContextIdentifier

    package init(_ context: ContextIdentifier) {
        self.context = context
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        self.init(try reader.context())
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        try enclave.answer(self)
    }
}
