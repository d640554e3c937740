public import Crypto
public import Foundation
import LatchkeyEnclaveCore
import LatchkeySecretMemory
public import LocalAuthentication

extension SecureEnclave.P256.KeyAgreement {
    /// A private key in the enclave that agrees on secrets: ECDH. It opens HPKE messages too.
    ///
    /// Its errors are those of ``SecureEnclave/P256/Signing/PrivateKey``.
    public struct PrivateKey: HPKEDiffieHellmanPrivateKey {
        private let handle: EnclaveHandle
        /// The other half, which everybody may have.
        public let publicKey: Crypto.P256.KeyAgreement.PublicKey

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

        /// What this key and the other one have in common; the other side comes to the same. Blocks as long as a person
        /// is asked.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            let coordinate = try handle.secret(agreedWith: Array(publicKeyShare.x963Representation))
            return try SharedSecret(xCoordinate: coordinate)
        }
    }
}

extension SharedSecret {
    /// What an agreement ends with, from the coordinate that is all of it.
    ///
    /// A shared secret comes from an agreement and from nowhere else. So there is one more: the key whose number is 1
    /// multiplies a point by 1, and of the two points with this x either will do.
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
