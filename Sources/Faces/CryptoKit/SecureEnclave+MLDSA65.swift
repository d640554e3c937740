public import Crypto
public import Foundation
import LatchkeyEnclaveCore
public import LocalAuthentication

extension SecureEnclave {
    /// Keys of ML-DSA-65 (FIPS 204), which stay safe from quantum computers.
    public enum MLDSA65: Sendable {}
}

extension SecureEnclave.MLDSA65 {
    /// A private key in the enclave that signs.
    ///
    /// Its errors are those of ``SecureEnclave/P256/Signing/PrivateKey``.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle
        /// The other half, which everybody may have.
        public let publicKey: Crypto.MLDSA65.PublicKey

        /// Makes a key. Blocks as long as a person is asked.
        ///
        /// - Parameters:
        ///   - accessControl: when the key may be used. Without any flags it is for private keys; one with conditions
        ///     needs `.privateKeyUsage`.
        ///   - authenticationContext: what every use of this value is asked over, and how.
        public init(
            accessControl: SecAccessControl = SecureEnclave.usualAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            let made = try EnclaveHandle.making(.mldsa65, accessControl, authenticationContext)
            handle = made.handle
            publicKey = try .init(rawRepresentation: made.publicKey)
        }

        /// A key that was made before, on this device. Asks nobody.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            let found = try EnclaveHandle.restoring(dataRepresentation, .mldsa65, authenticationContext)
            handle = found.handle
            publicKey = try .init(rawRepresentation: found.publicKey)
        }

        /// What the key is found by again, on this device alone. No secret; but who has it may ask the enclave to use
        /// the key.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs data, all of it: the enclave takes 1 MiB at most. Blocks as long as a person is asked.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try signature(for: data, context: Data())
        }

        /// Signs data for a purpose of at most 255 bytes, which verifying takes as well. Blocks as long as a person is
        /// asked.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try handle.signature(ofMessage: data, contextString: context)
        }
    }
}
