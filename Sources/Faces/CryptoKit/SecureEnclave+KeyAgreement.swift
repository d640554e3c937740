public import Crypto
public import Foundation
import LatchkeyEnclaveContract
import LatchkeySecretMemory
public import LocalAuthentication

extension SecureEnclave.P256.KeyAgreement {
    /// A private key in the enclave that agrees on secrets: ECDH. It also opens HPKE messages.
    ///
    /// Its errors are those of ``SecureEnclave/P256/Signing/PrivateKey``.
    public struct PrivateKey: HPKEDiffieHellmanPrivateKey {
        private let handle: EnclaveHandle
        /// The public half of the key.
        public let publicKey: Crypto.P256.KeyAgreement.PublicKey

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

        /// Returns the secret that this key and the other one share. Blocks while a prompt is shown.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            let coordinate = try handle.secret(agreedWith: Array(publicKeyShare.x963Representation))
            return try SharedSecret(xCoordinate: coordinate)
        }
    }
}

extension SharedSecret {
    /// Makes the result of an agreement from its x-coordinate.
    ///
    /// A `SharedSecret` can only come from an agreement, so this makes another one: the private key 1 multiplies a
    /// point by 1, and of the two points with this x-coordinate either will do.
    fileprivate init(xCoordinate: SecretBox) throws {
        var one = [UInt8](repeating: 0, count: 32)
        one[31] = 1
        let point = SecretBox(copying: [2]).appending(xCoordinate, count: xCoordinate.count)
        self = try unsafe point.withBytes { bytes in
            try Crypto.P256.KeyAgreement.PrivateKey(rawRepresentation: one)
                .sharedSecretFromKeyAgreement(with: unsafe .init(compressedRepresentation: bytes))
        }
    }
}
