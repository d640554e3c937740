package import LatchkeySecretMemory

/// A request to add the passcode to a context as evidence. It counts as a try.
package struct OfferPasscode: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(8)]
    package static let traits: QuestionTraits = []

    package let context: ContextIdentifier
    package let passcode: SecretBox

    package init(_ passcode: SecretBox, to context: ContextIdentifier) {
        self.context = context
        self.passcode = passcode
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
        writer.secret(passcode)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        passcode = try reader.passcode()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        try enclave.answer(self)
    }
}
