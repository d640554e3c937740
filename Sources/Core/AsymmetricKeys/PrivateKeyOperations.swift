package import LatchkeySecretMemory

/// The two things that a private key of an elliptic curve does; everything else follows from them. A key in the enclave
/// does only these.
package protocol PrivateKeyOperations: Sendable {
    var publicKey: PublicKey { get }

    /// Signs what a ``SignatureAlgorithm`` says: a message, or its digest.
    func sign(_ signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) -> [UInt8]

    /// The x coordinate of the shared point.
    func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox
}
