/// A request to accept an unlock of the device by finger as a match of this context for some seconds. At most
/// ``EnclaveLimits/reuseSeconds``, which are 300; 0 at first.
package struct AllowReuse: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(3)]
    package static let traits: QuestionTraits = .repeatable

    package let context: ContextIdentifier
    package let seconds: Double

    package init(seconds: Double, in context: ContextIdentifier) {
        self.context = context
        self.seconds = seconds
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
        writer.seconds(seconds)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        seconds = try reader.seconds("reuse window")
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        try enclave.answer(self)
    }
}
