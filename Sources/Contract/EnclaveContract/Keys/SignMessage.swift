/// A request for a signature with an ML-DSA key.
package struct SignMessage: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(7)]
    package static let traits: QuestionTraits = []

    /// At most ``EnclaveLimits/messageByteCount`` bytes.
    package let message: [UInt8]
    /// The context string of the signature, at most ``EnclaveLimits/contextStringByteCount`` bytes.
    package let contextString: [UInt8]
    package let blob: [UInt8]
    package let context: ContextIdentifier?

    package init(
        _ message: [UInt8], contextString: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) {
        self.message = message
        self.contextString = contextString
        self.blob = blob
        self.context = context
    }

    package func write(to writer: inout MessageWriter) {
        writer.optionalContext(context)
        writer.bytes(blob)
        writer.bytes(contextString)
        writer.longBytes(message)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.optionalContext()
        blob = try reader.blob()
        contextString = try reader.bytes("context string", limit: EnclaveLimits.contextStringByteCount)
        message = try reader.longBytes("message", limit: EnclaveLimits.messageByteCount)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> SignatureAnswer {
        try enclave.answer(self)
    }
}
