/// A request for a key agreement of a P-256 key with a peer.
package struct AgreeOnKey: EnclaveQuestion {
    package static let numbers = [MessageNumber.keyQuestion(3)]
    package static let traits: QuestionTraits = []
    private static let pointByteCount = EnclaveKeyKind.p256.publicKeyByteCount

    /// An uncompressed point of 65 bytes.
    package let peer: [UInt8]
    package let blob: [UInt8]
    package let context: ContextIdentifier?

    package init(
        with peer: [UInt8], by blob: [UInt8], context: ContextIdentifier?
    ) {
        self.peer = peer
        self.blob = blob
        self.context = context
    }

    package func write(to writer: inout MessageWriter) {
        writer.optionalContext(context)
        writer.bytes(blob)
        writer.bytes(peer)
    }

    package init(_ number: MessageNumber, from reader: inout MessageReader) throws(EnclaveMessageFailure) {
        context = try reader.optionalContext()
        blob = try reader.blob()
        peer = try reader.bytes("peer", limit: Self.pointByteCount)
    }

    package func answer(by enclave: some EnclaveAnswers) throws(EnclaveRefusal) -> KeyExchangeAnswer {
        try enclave.answer(self)
    }
}
