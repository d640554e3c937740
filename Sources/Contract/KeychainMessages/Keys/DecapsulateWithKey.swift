package import LatchkeyEnclaveContract
import LatchkeyItemModel

/// Decapsulates a shared secret with an ML-KEM key. An altered ciphertext yields another secret, not an error.
package struct DecapsulateWithKey: KeyQuestion {
    package typealias Answer = EnclaveKeySecret

    package static let numbers: [Int64] = [7]
    package static let traits: KeychainTraits = [.asksPerson, .audited]
    package static let name = "decapsulate"
    package static let purpose = KeyPurpose.sharedSecret

    /// Bytes of a ciphertext for a key of some kind.
    private static let ciphertextByteCounts =
        0...(EnclaveKeyKind.allCases.compactMap(\.ciphertextByteCount).max() ?? 0)

    package let blob: [UInt8]
    package let ciphertext: [UInt8]
    package let interaction: Interaction?

    package init(_ blob: [UInt8], ciphertext: [UInt8], _ interaction: Interaction? = nil) {
        self.blob = blob
        self.ciphertext = ciphertext
        self.interaction = interaction
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(blob)
        writer.data(ciphertext)
        writer.optionalInteraction(interaction)
    }

    package init(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        blob = try fields.keyBlob()
        ciphertext = try fields.bytes("ciphertext", Self.ciphertextByteCounts)
        interaction = try fields.optionalInteraction()
    }

    package var lengthRefusal: EnclaveKeyRefusal? {
        Self.ciphertextByteCounts.contains(ciphertext.count) ? .ofLength(of: blob) : .badCiphertext(ciphertext.count)
    }

    package func answer<Desk: KeyAnswers>(by desk: Desk) throws(Desk.Obstacle) -> Answer {
        try desk.answer(self)
    }
}

extension EnclaveKeyRefusal {
    /// - Parameter kind: the kind of the key, if it is known; otherwise the text lists all lengths.
    package static func badCiphertext(_ byteCount: Int, _ kind: EnclaveKeyKind? = nil) -> EnclaveKeyRefusal {
        let expected = (kind.map { [$0] } ?? EnclaveKeyKind.allCases).compactMap { kind in
            kind.ciphertextByteCount.map { "\($0) bytes for a key of \(kind.name)" }
        }
        return EnclaveKeyRefusal(
            .param,
            Refusal(.badCiphertext, expected.joined(separator: ", "), byteCount))
    }
}
