public import Crypto
public import Foundation
import LatchkeyEnclaveContract
public import LocalAuthentication

extension SecureEnclave.P256.Signing {
    /// A private key in the enclave that signs: ECDSA.
    ///
    /// Refusals of the enclave, or of a person, are thrown: as ``LAError`` if a person did not fulfil the key's access
    /// control, else as an `NSError` of `NSOSStatusErrorDomain`, with the reason and what to do.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle
        /// The public half of the key.
        public let publicKey: Crypto.P256.Signing.PublicKey

        /// Makes a key. Blocks while a prompt is shown.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key has a `compactRepresentation`, like half of all keys.
        ///   - accessControl: when the key may be used. Without any flags it is for private keys; one with conditions
        ///     needs `.privateKeyUsage`.
        ///   - authenticationContext: the context and the texts of the prompts for every use of this value.
        public init(
            compactRepresentable: Bool = true, accessControl: SecAccessControl = SecureEnclave.usualAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            let made = try EnclaveHandle.making(
                compactRepresentable ? .compactP256 : .p256, accessControl, authenticationContext)
            handle = made.handle
            publicKey = try .init(x963Representation: made.publicKey)
        }

        /// Restores a key that was made before on this device, without a prompt.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            let found = try EnclaveHandle.restoring(dataRepresentation, .p256, authenticationContext)
            handle = found.handle
            publicKey = try .init(x963Representation: found.publicKey)
        }

        /// The blob from which this device restores the key. It is not secret, but every program that has it may ask
        /// the enclave to use the key.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs the SHA-256 of data. Blocks while a prompt is shown.
        public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try signature(for: SHA256.hash(data: data))
        }

        /// Signs a digest; of a longer one the first 32 bytes, as ECDSA on this curve requires. Blocks while a prompt
        /// is shown.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try .init(derRepresentation: handle.signature(ofDigest: Array(digest.prefix(32))))
        }
    }
}
