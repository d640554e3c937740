/// A request to decapsulate a ciphertext with an ML-KEM key. An altered ciphertext gives another secret and is not an
/// error.
package struct Decapsulate: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(8)]
    package static let traits: QuestionTraits = []
    private static let ciphertextByteLimit = EnclaveKeyKind.allCases.compactMap(\.ciphertextByteCount).max() ?? 0

    package let ciphertext: [UInt8]
    package let blob: [UInt8]
    package let context: ContextIdentifier?

    package init(
        _ ciphertext: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) {
        self.ciphertext = ciphertext
        self.blob = blob
        self.context = context
    }

    package func write(to writer: inout MessageWriter) {
        writer.optionalContext(context)
        writer.bytes(blob)
        writer.bytes(ciphertext)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.optionalContext()
        blob = try reader.blob()
        ciphertext = try reader.bytes("ciphertext", limit: Self.ciphertextByteLimit)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> KeyExchangeAnswer {
        try enclave.answer(self)
    }
}
