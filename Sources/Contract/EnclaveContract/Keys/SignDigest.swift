/// A request for a signature with a P-256 key.
package struct SignDigest: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(2)]
    package static let traits: QuestionTraits = []

    /// 1 to ``EnclaveLimits/digestByteCount`` bytes; ECDSA uses the first 32 of them.
    package let digest: [UInt8]
    package let blob: [UInt8]
    package let context: ContextIdentifier?

    package init(
        _ digest: [UInt8], with blob: [UInt8], context: ContextIdentifier?
    ) {
        self.digest = digest
        self.blob = blob
        self.context = context
    }

    package func write(to writer: inout MessageWriter) {
        writer.optionalContext(context)
        writer.bytes(blob)
        writer.bytes(digest)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.optionalContext()
        blob = try reader.blob()
        digest = try reader.bytes("digest", limit: EnclaveLimits.digestByteCount)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> SignatureAnswer {
        try enclave.answer(self)
    }
}
