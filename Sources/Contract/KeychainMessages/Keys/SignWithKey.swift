import LatchkeyEnclaveContract
import LatchkeyItemModel

/// Signs a digest with a P-256 key. The signature is ECDSA in ASN.1 DER.
package struct SignWithKey: KeyQuestion {
    package typealias Answer = EnclaveKeySignature

    package static let numbers: [Int64] = [2]
    package static let traits: KeychainTraits = [.asksPerson, .audited]
    package static let name = "sign"
    package static let purpose = KeyPurpose.signature

    private static let digestByteCounts = 1...EnclaveLimits.digestByteCount

    package let blob: [UInt8]
    /// 1 to 64 bytes.
    package let digest: [UInt8]
    package let interaction: Interaction?

    package init(_ blob: [UInt8], digest: [UInt8], _ interaction: Interaction? = nil) {
        self.blob = blob
        self.digest = digest
        self.interaction = interaction
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
        writer.data(digest)
        writer.optionalInteraction(interaction)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
        digest = try fields.bytes("digest", Self.digestByteCounts)
        interaction = try fields.optionalInteraction()
    }

    package var lengthRefusal: EnclaveKeyRefusal? {
        Self.digestByteCounts.contains(digest.count) ? .ofLength(of: blob) : .badDigest(digest.count)
    }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

extension EnclaveKeyRefusal {
    fileprivate static func badDigest(_ byteCount: Int) -> EnclaveKeyRefusal {
        EnclaveKeyRefusal(
            .param,
            Refusal(.badDigest, byteCount))
    }
}
