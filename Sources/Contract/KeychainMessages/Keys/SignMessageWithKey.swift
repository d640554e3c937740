import LatchkeyEnclaveContract
import LatchkeyItemModel

/// Signs a message with an ML-DSA key. The signature also covers the context string.
package struct SignMessageWithKey: KeyQuestion {
    package typealias Answer = EnclaveKeySignature

    package static let numbers: [Int64] = [6]
    package static let traits: KeychainTraits = [.asksPerson, .audited]
    package static let name = "sign-message"
    package static let purpose = KeyPurpose.signature

    private static let messageByteCounts = 0...EnclaveLimits.messageByteCount
    private static let contextStringByteCounts = 0...EnclaveLimits.contextStringByteCount

    package let blob: [UInt8]
    /// At most ``EnclaveLimits/messageByteCount`` bytes.
    package let signedMessage: [UInt8]
    /// At most ``EnclaveLimits/contextStringByteCount`` bytes.
    package let contextString: [UInt8]
    package let interaction: Interaction?

    package init(
        _ blob: [UInt8], message: [UInt8], contextString: [UInt8] = [], _ interaction: Interaction? = nil
    ) {
        self.blob = blob
        signedMessage = message
        self.contextString = contextString
        self.interaction = interaction
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
        writer.data(signedMessage)
        writer.data(contextString)
        writer.optionalInteraction(interaction)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
        signedMessage = try fields.bytes("message", Self.messageByteCounts)
        contextString = try fields.bytes("context string", Self.contextStringByteCounts)
        interaction = try fields.optionalInteraction()
    }

    package var lengthRefusal: EnclaveKeyRefusal? {
        guard Self.messageByteCounts.contains(signedMessage.count) else { return .messageTooLong(signedMessage.count) }
        guard Self.contextStringByteCounts.contains(contextString.count) else {
            return .contextStringTooLong(contextString.count)
        }
        return .ofLength(of: blob)
    }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

extension EnclaveKeyRefusal {
    fileprivate static func messageTooLong(_ byteCount: Int) -> EnclaveKeyRefusal {
        EnclaveKeyRefusal(
            .param,
            Refusal(.messageTooLong, byteCount, EnclaveLimits.messageByteCount))
    }

    fileprivate static func contextStringTooLong(_ byteCount: Int) -> EnclaveKeyRefusal {
        EnclaveKeyRefusal(
            .param,
            Refusal(.contextStringTooLong, byteCount, EnclaveLimits.contextStringByteCount))
    }
}
