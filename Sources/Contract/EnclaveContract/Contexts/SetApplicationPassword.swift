package import LatchkeySecretMemory

/// A request to set the application password of a context; nil removes it. The password is checked only when a key is
/// unwrapped with it.
package struct SetApplicationPassword: EnclaveQuestion {
    package static let numbers = [MessageNumber.contextQuestion(9)]
    package static let traits: QuestionTraits = []

    package let context: ContextIdentifier
    package let password: SecretBox?

    package init(_ password: SecretBox?, in context: ContextIdentifier) {
        self.context = context
        self.password = password
    }

    package func write(to writer: inout MessageWriter) {
        writer.context(context)
        writer.optional(password) { $0.secret($1) }
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.context()
        password = try reader.optionalApplicationPassword()
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> ContextAnswer<Done> {
        try enclave.answer(self)
    }
}
