public import Crypto
public import Foundation
import LatchkeyEnclaveCore
public import LocalAuthentication

extension SecureEnclave.P256.Signing {
    /// A private key in the enclave that signs: ECDSA.
    ///
    /// What the enclave, or a person who was asked, refuses is thrown: as ``LAError`` where a person did not prove what
    /// the key's access control asks for, else as an `NSError` of `NSOSStatusErrorDomain`, with the reason and what to
    /// do.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle
        /// The other half, which everybody may have.
        public let publicKey: Crypto.P256.Signing.PublicKey

        /// Makes a key. Blocks as long as a person is asked.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key has a `compactRepresentation`, as half of all keys have.
        ///   - accessControl: when the key may be used. Without any flags it is for private keys; one with conditions
        ///     needs `.privateKeyUsage`.
        ///   - authenticationContext: what every use of this value is asked over, and how.
        public init(
            compactRepresentable: Bool = true, accessControl: SecAccessControl = SecureEnclave.usualAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            let made = try EnclaveHandle.making(
                compactRepresentable ? .compactP256 : .p256, accessControl, authenticationContext)
            handle = made.handle
            publicKey = try .init(x963Representation: made.publicKey)
        }

        /// A key that was made before, on this device. Asks nobody.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            let found = try EnclaveHandle.restoring(dataRepresentation, .p256, authenticationContext)
            handle = found.handle
            publicKey = try .init(x963Representation: found.publicKey)
        }

        /// What the key is found by again, on this device alone. No secret; but who has it may ask the enclave to use
        /// the key.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs the SHA-256 of data. Blocks as long as a person is asked.
        public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try signature(for: SHA256.hash(data: data))
        }

        /// Signs a digest; of a longer one the first 32 bytes, as ECDSA on this curve has it. Blocks as long as a person
        /// is asked.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try .init(derRepresentation: handle.signature(ofDigest: Array(digest.prefix(32))))
        }
    }
}
