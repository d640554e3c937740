package import LatchkeyAccessControl
package import LatchkeySecretMemory

/// Requests about the keys that never leave the enclave.
package enum EnclaveKeyRequest: Sendable {
    /// A new key under an access control with `privateKeyUsage`; one that is not bound is bound as by
    /// ``ContextRequest/bind(accessControl:)``. The context brings the application password, if it asks for one.
    ///
    /// Answers ``EnclaveKeyReply/created(blob:publicKey:)``; ``EnclaveKeyReply/refused(_:)`` with `.locked`,
    /// `.classKeyMissing` or `.authenticationNeeded` (no application password); `EnclaveReply.context(.notBound)` with
    /// the rule, if it is about biometry that cannot be bound now; and `EnclaveReply.refused(.malformed)` for bytes
    /// that are no access control, have no `privateKeyUsage`, or a protection without a class key (`f`).
    case create(_ key: NewEnclaveKey = .p256, accessControl: AccessControl, context: ContextIdentifier?)
    /// With a P-256 key. `digest` has 1 to 64 bytes; ECDSA takes the first 32 of them.
    case sign(blob: [UInt8], digest: [UInt8], context: ContextIdentifier?)
    /// With a P-256 key. `peer` is an uncompressed point of 65 bytes.
    case agree(blob: [UInt8], peer: [UInt8], context: ContextIdentifier?)
    /// For each blob whether its key is still there; asks for no evidence. At most ``EnclaveLimits/keysPerBatch``.
    /// While its class key is locked, a key whose clear part this device sealed counts as present.
    case describe([[UInt8]])
    /// Ends keys for good, durable before the answer. Blobs of other devices are passed over. At most ``EnclaveLimits/keysPerBatch``.
    case delete([[UInt8]])
    /// With an ML-DSA key. The message has at most ``EnclaveLimits/messageByteCount`` bytes, the context string, which is
    /// part of what is signed, at most ``EnclaveLimits/contextStringByteCount``.
    case signMessage(blob: [UInt8], message: [UInt8], contextString: [UInt8], context: ContextIdentifier?)
    /// With an ML-KEM key. An altered ciphertext holds another secret and is no failure.
    case decapsulate(blob: [UInt8], ciphertext: [UInt8], context: ContextIdentifier?)
}

package enum EnclaveKeyReply: Sendable {
    /// The length of the public key tells its kind (``EnclaveKeyKind/init(publicKeyByteCount:)``).
    case created(blob: [UInt8], publicKey: [UInt8])
    /// ECDSA in ASN.1 DER, or ML-DSA.
    case signature([UInt8])
    /// What a peer or a ciphertext brought.
    case agreed(SecretBox)
    case described([KeyDescription])
    case done
    case refused(KeyRefusal)
    /// The peer's bytes are no point of the curve.
    case badPeer
    /// The key is of this kind, which does not do what was asked. Nobody was asked for anything.
    case otherKind(EnclaveKeyKind)
    /// Ciphertexts for a key of this kind have another length. Nobody was asked for anything.
    case badCiphertext(EnclaveKeyKind)
}
