package import LatchkeyAccessControl
package import LatchkeyEnclaveContract
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// A request for an operation on enclave keys. A key is identified by its blob (`kSecAttrTokenOID`), which only the
/// enclave that created it can unwrap.
package enum KeyRequest: Sendable {
    /// Creates a key. No item refers to it yet. The access control must have `privateKeyUsage`.
    case create(_ key: NewEnclaveKey = .p256, accessControl: AccessControl, Interaction?)
    /// Signs a digest of 1 to 64 bytes with a P-256 key. The signature is ECDSA in ASN.1 DER.
    case sign(blob: [UInt8], digest: [UInt8], Interaction?)
    /// Agrees on a shared secret with a P-256 key. `peer` is an uncompressed point.
    case agree(blob: [UInt8], peer: [UInt8], Interaction?)
    /// Describes the key. Fails if it belongs to another device or no longer exists.
    case describe(blob: [UInt8])
    /// Signs a message of at most ``EnclaveLimits/messageByteCount`` bytes with an ML-DSA key. The signature also
    /// covers the context string of at most ``EnclaveLimits/contextStringByteCount`` bytes.
    case signMessage(blob: [UInt8], message: [UInt8], contextString: [UInt8] = [], Interaction?)
    /// Decapsulates a shared secret with an ML-KEM key. An altered ciphertext yields another secret, not an error.
    case decapsulate(blob: [UInt8], ciphertext: [UInt8], Interaction?)
}

package enum KeyReply: Sendable {
    /// `publicKey` is an uncompressed point for P-256. Its length tells the kind of the key
    /// (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    case signature([UInt8])
    /// 32 bytes: for P-256 the x-coordinate of the shared point, for ML-KEM the shared secret.
    case agreed(SecretBox)
    /// `publicKey` has the form described for `created`.
    case described(publicKey: [UInt8], accessControl: AccessControl)
    case failed(ResultCode, Refusal?)
}
