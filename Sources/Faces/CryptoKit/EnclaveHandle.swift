import Crypto
import Foundation
import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LocalAuthentication
import Security

/// A key that is in the enclave: the blob that the enclave opens, and the way there.
struct EnclaveHandle: Sendable {
    private let blob: [UInt8]
    private let route: KeyRoute

    typealias Found = (handle: EnclaveHandle, publicKey: [UInt8])

    /// A new key, with its public half as the enclave tells it.
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

    /// A key that is there. A blob of another kind of key is refused as one of another device is.
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

    /// In DER.
    func signature(ofDigest digest: [UInt8]) throws -> [UInt8] {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            try signature { .sign(blob: blob, digest: digest, $0) }
        }
    }

    /// The x coordinate of the point that both sides come to.
    /// - Parameter point: uncompressed.
    func secret(agreedWith point: [UInt8]) throws -> SecretBox {
        try CalledFunction.named("SecureEnclave PrivateKey.sharedSecretFromKeyAgreement(with:)") {
            try secret { .agree(blob: blob, peer: point, $0) }
        }
    }

    /// ML-DSA. The context string is part of what is signed.
    func signature(ofMessage message: some DataProtocol, contextString: some DataProtocol) throws -> Data {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            Data(
                try signature {
                    .signMessage(blob: blob, message: Array(message), contextString: Array(contextString), $0)
                })
        }
    }

    /// The secret in a ciphertext: ML-KEM.
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

    /// Nothing but a protection class is for keys here, as nothing else can be meant.
    private static func rules(of accessControl: SecAccessControl) throws -> AccessControl {
        let rules = accessControl.rules
        guard rules.flags.isEmpty else { return rules }
        return try AccessControl(protection: rules.protection, flags: .privateKeyUsage)
    }
}
