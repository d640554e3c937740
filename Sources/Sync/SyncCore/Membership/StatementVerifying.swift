/// The length of a signature: ECDSA with P-256 and SHA-256, both numbers with 32 bytes.
package enum SignatureFormat: FixedFormat {
    package static let byteCount = 64
}

package typealias StatementSignature = FixedBytes<SignatureFormat>

/// A verifier of signatures: ECDSA with P-256 and SHA-256 outside tests.
package protocol StatementVerifying {
    /// Returns true if the signature over the message was made with the private key of `publicKey`.
    func verifies(_ signature: StatementSignature, over message: [UInt8], publicKey: P256PublicKey) -> Bool
}
