public import Crypto
public import Foundation
import LatchkeyEnclaveContract
public import LocalAuthentication

extension SecureEnclave {
    /// Keys of ML-KEM-768 (FIPS 203), which stay safe from quantum computers.
    public enum MLKEM768: Sendable {}
}

extension SecureEnclave.MLKEM768 {
    /// A private key in the enclave that opens secrets encapsulated for its public half.
    ///
    /// Its errors are those of ``SecureEnclave/P256/Signing/PrivateKey``.
    public struct PrivateKey: KEMPrivateKey {
        private let handle: EnclaveHandle
        /// The public half of the key.
        public let publicKey: Crypto.MLKEM768.PublicKey

        /// Makes a key without conditions.
        public static func generate() throws -> Self {
            try Self()
        }

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
            let made = try EnclaveHandle.making(.mlkem768, accessControl, authenticationContext)
            handle = made.handle
            publicKey = try .init(rawRepresentation: made.publicKey)
        }

        /// Restores a key that was made before on this device, without a prompt.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            let found = try EnclaveHandle.restoring(dataRepresentation, .mlkem768, authenticationContext)
            handle = found.handle
            publicKey = try .init(rawRepresentation: found.publicKey)
        }

        /// The blob from which this device restores the key. It is not secret, but every program that has it may ask
        /// the enclave to use the key.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Returns the encapsulated secret; altered bytes give another secret. Blocks while a prompt is shown.
        public func decapsulate<D: DataProtocol>(_ encapsulated: D) throws -> SymmetricKey {
            try handle.secret(in: encapsulated)
        }
    }
}
