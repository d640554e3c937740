package import ItemModel
package import SecretMemory

/// What a program asks of the enclave's P-256 keys. A key is named by its blob (`kSecAttrTokenOID`), which only the enclave
/// that made it opens.
package enum KeyRequest: Sendable {
    /// A new key that no item refers to yet. The access control has `privateKeyUsage`.
    case create(accessControl: [UInt8], Interaction?)
    /// Signs a digest of 1 to 64 bytes: ECDSA, ASN.1 DER.
    case sign(blob: [UInt8], digest: [UInt8], Interaction?)
    /// `peer` is an uncompressed point.
    case agree(blob: [UInt8], peer: [UInt8], Interaction?)
    /// Whether the key is of this device and still there.
    case describe(blob: [UInt8])
}

package enum KeyReply: Sendable {
    /// `publicKey` is an uncompressed point.
    case created(blob: [UInt8], publicKey: [UInt8])
    case signature([UInt8])
    /// The x coordinate of the shared point.
    case agreed(SecretBox)
    case described(publicKey: [UInt8], accessControl: [UInt8])
    case failed(ResultCode, Refusal?)
}
