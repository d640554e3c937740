import LatchkeyEnclaveContract
import LatchkeyItemModel

/// Agrees on a shared secret with a P-256 key.
package struct AgreeWithKey: KeyQuestion {
    package typealias Answer = EnclaveKeySecret

    package static let numbers: [Int64] = [3]
    package static let traits: KeychainTraits = [.asksPerson, .audited]
    package static let name = "agree"
    package static let purpose = KeyPurpose.sharedSecret

    /// Bytes of an uncompressed point of P-256.
    package static let pointByteCount = EnclaveKeyKind.p256.publicKeyByteCount

    package let blob: [UInt8]
    /// The other side's public key, an uncompressed point.
    package let peer: [UInt8]
    package let interaction: Interaction?

    package init(_ blob: [UInt8], peer: [UInt8], _ interaction: Interaction? = nil) {
        self.blob = blob
        self.peer = peer
        self.interaction = interaction
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
        writer.data(peer)
        writer.optionalInteraction(interaction)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
        peer = try fields.bytes("peer", Self.pointByteCount...Self.pointByteCount)
        interaction = try fields.optionalInteraction()
    }

    package var lengthRefusal: EnclaveKeyRefusal? {
        peer.count == Self.pointByteCount ? .ofLength(of: blob) : .badPeer
    }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

extension EnclaveKeyRefusal {
    package static let badPeer = EnclaveKeyRefusal(
        .param,
        Refusal(.badPeer))
}
