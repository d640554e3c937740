import Crypto
import Foundation
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LocalAuthentication
import Security

/// A key in the enclave: its blob, and the connection to its enclave.
struct EnclaveHandle: Sendable {
    private let blob: [UInt8]
    private let route: KeyRoute

    typealias Found = (handle: EnclaveHandle, publicKey: [UInt8])

    /// Makes a key, and its public half from the enclave's reply.
    static func making(
        _ key: NewEnclaveKey, _ accessControl: SecAccessControl, _ context: LAContext?
    ) throws -> Found {
        let rules = try rules(of: accessControl)
        let route = try route(context)
        let reply = CalledFunction.named("SecureEnclave PrivateKey.init") {
            route.perform { .create(key, accessControl: rules, $0) }
        }
        switch reply {
        case .created(let blob, let publicKey): return (EnclaveHandle(blob: blob, route: route), publicKey)
        case let other: throw EnclaveRefusal.error(of: other)
        }
    }

    /// Restores an existing key. Refuses a blob of another kind of key like one of another device.
    static func restoring(
        _ representation: some DataProtocol, _ kind: EnclaveKeyKind, _ context: LAContext?
    ) throws -> Found {
        let blob = Array(representation)
        let route = try route(context)
        switch route.perform({ _ in .describe(blob: blob) }) {
        case .described(let publicKey, _):
            guard EnclaveKeyKind(publicKeyByteCount: publicKey.count) == kind else {
                throw EnclaveRefusal.anotherKind(than: kind)
            }
            return (EnclaveHandle(blob: blob, route: route), publicKey)
        case let other:
            throw EnclaveRefusal.error(of: other)
        }
    }

    var dataRepresentation: Data { Data(blob) }

    /// Returns the signature in DER.
    func signature(ofDigest digest: [UInt8]) throws -> [UInt8] {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            try signature { .sign(blob: blob, digest: digest, $0) }
        }
    }

    /// Returns the x-coordinate of the shared point.
    /// - Parameter point: uncompressed.
    func secret(agreedWith point: [UInt8]) throws -> SecretBox {
        try CalledFunction.named("SecureEnclave PrivateKey.sharedSecretFromKeyAgreement(with:)") {
            try secret { .agree(blob: blob, peer: point, $0) }
        }
    }

    /// Signs with ML-DSA. The context string is part of the signed data.
    func signature(ofMessage message: some DataProtocol, contextString: some DataProtocol) throws -> Data {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            Data(
                try signature {
                    .signMessage(blob: blob, message: Array(message), contextString: Array(contextString), $0)
                })
        }
    }

    /// Returns the secret in a ciphertext of ML-KEM.
    func secret(in ciphertext: some DataProtocol) throws -> SymmetricKey {
        let secret = try CalledFunction.named("SecureEnclave PrivateKey.decapsulate(_:)") {
            try self.secret { .decapsulate(blob: blob, ciphertext: Array(ciphertext), $0) }
        }
        return unsafe secret.withBytes { unsafe SymmetricKey(data: $0) }
    }

    private func signature(_ request: (Interaction?) -> KeyRequest) throws -> [UInt8] {
        switch route.perform(request) {
        case .signature(let signature): return signature
        case let other: throw EnclaveRefusal.error(of: other)
        }
    }

    private func secret(_ request: (Interaction?) -> KeyRequest) throws -> SecretBox {
        switch route.perform(request) {
        case .agreed(let secret): return secret
        case let other: throw EnclaveRefusal.error(of: other)
        }
    }

    private static func route(_ context: LAContext?) throws -> KeyRoute {
        do throws(KeyCallFailure) {
            return try KeyRoute(context: context)
        } catch {
            throw error.error
        }
    }

    /// Returns the rules of an access control. One with only a protection class is for private keys here.
    private static func rules(of accessControl: SecAccessControl) throws -> AccessControl {
        let rules = accessControl.rules
        guard rules.flags.isEmpty else { return rules }
        return try AccessControl(protection: rules.protection, flags: .privateKeyUsage)
    }
}
