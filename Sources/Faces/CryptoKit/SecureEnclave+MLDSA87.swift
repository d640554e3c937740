public import Crypto
public import Foundation
import LatchkeyEnclaveContract
public import LocalAuthentication

extension SecureEnclave {
    /// Keys of ML-DSA-87 (FIPS 204), which stay safe from quantum computers.
    public enum MLDSA87: Sendable {}
}

extension SecureEnclave.MLDSA87 {
    /// A private key in the enclave that signs.
    ///
    /// Its errors are those of ``SecureEnclave/P256/Signing/PrivateKey``.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle
        /// The public half of the key.
        public let publicKey: Crypto.MLDSA87.PublicKey

        /// Makes a key. Blocks while a prompt is shown.
        ///
        /// - Parameters:
        ///   - accessControl: when the key may be used. Without any flags it is for private keys; one with conditions
        ///     needs `.privateKeyUsage`.
        ///   - authenticationContext: the context and the texts of the prompts for every use of this value.
        public init(
            accessControl: SecAccessControl = SecureEnclave.usualAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            let made = try EnclaveHandle.making(.mldsa87, accessControl, authenticationContext)
            handle = made.handle
            publicKey = try .init(rawRepresentation: made.publicKey)
        }

        /// Restores a key that was made before on this device, without a prompt.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            let found = try EnclaveHandle.restoring(dataRepresentation, .mldsa87, authenticationContext)
            handle = found.handle
            publicKey = try .init(rawRepresentation: found.publicKey)
        }

        /// The blob from which this device restores the key. It is not secret, but every program that has it may ask
        /// the enclave to use the key.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs all of the data, which has at most 1 MiB. Blocks while a prompt is shown.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try signature(for: data, context: Data())
        }

        /// Signs data for a context of at most 255 bytes, which verifying needs as well. Blocks while a prompt is
        /// shown.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try handle.signature(ofMessage: data, contextString: context)
        }
    }
}
