package import LatchkeyAccessControl
package import LatchkeyEnclaveCore
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// What a program asks of the enclave's own keys. A key is named by its blob (`kSecAttrTokenOID`), which only the enclave
/// that made it opens.
package enum KeyRequest: Sendable {
    /// A new key that no item refers to yet. The access control has `privateKeyUsage`.
    case create(_ key: NewEnclaveKey = .p256, accessControl: AccessControl, Interaction?)
    /// Signs a digest of 1 to 64 bytes with a P-256 key: ECDSA, ASN.1 DER.
    case sign(blob: [UInt8], digest: [UInt8], Interaction?)
    /// With a P-256 key. `peer` is an uncompressed point.
    case agree(blob: [UInt8], peer: [UInt8], Interaction?)
    /// Whether the key is of this device and still there.
    case describe(blob: [UInt8])
    /// Signs a message of at most ``EnclaveLimits/messageByteCount`` bytes with an ML-DSA key. The context string, of at
    /// most ``EnclaveLimits/contextStringByteCount`` bytes, is part of what is signed.
    case signMessage(blob: [UInt8], message: [UInt8], contextString: [UInt8] = [], Interaction?)
    /// The secret in a ciphertext, with an ML-KEM key. An altered ciphertext holds another secret and is no failure.
    case decapsulate(blob: [UInt8], ciphertext: [UInt8], Interaction?)
}

package enum KeyReply: Sendable {
    /// `publicKey` is an uncompressed point, or of another kind, which its length tells
    /// (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    case signature([UInt8])
    /// Of P-256 the x coordinate of the shared point, of ML-KEM the shared secret: 32 bytes.
    case agreed(SecretBox)
    /// `publicKey` as in `created`.
    case described(publicKey: [UInt8], accessControl: AccessControl)
    case failed(ResultCode, Refusal?)
}
