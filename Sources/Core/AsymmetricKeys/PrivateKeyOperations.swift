package import LatchkeySecretMemory

/// The two operations of an elliptic curve private key; all others follow from them. An enclave key performs only
/// these.
package protocol PrivateKeyOperations: Sendable {
    var publicKey: PublicKey { get }

    /// Signs a message or its digest, as the ``SignatureAlgorithm`` says.
    func sign(_ signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) -> [UInt8]

    /// Computes the x-coordinate of the shared point.
    func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox
}
