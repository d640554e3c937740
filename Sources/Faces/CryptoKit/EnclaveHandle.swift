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
    private let connection: KeyConnection

    typealias Found = (handle: EnclaveHandle, publicKey: [UInt8])

    /// Makes a key, and its public half from the enclave's reply.
    static func making(
        _ key: NewEnclaveKey, _ accessControl: SecAccessControl, _ context: LAContext?
    ) throws -> Found {
        let rules = try rules(of: accessControl)
        let connection = try connection(context)
        let created = try CalledFunction.named("SecureEnclave PrivateKey.init") {
            try connection.answer { CreateEnclaveKey(key, under: rules, $0) }
        }
        return (EnclaveHandle(blob: created.blob, connection: connection), created.publicKey)
    }

    /// Restores an existing key. Refuses a blob of another kind of key like one of another device.
    static func restoring(
        _ representation: some DataProtocol, _ kind: EnclaveKeyKind, _ context: LAContext?
    ) throws -> Found {
        let blob = Array(representation)
        let connection = try connection(context)
        let publicKey = try connection.answer { _ in DescribeEnclaveKey(blob) }.publicKey
        guard EnclaveKeyKind(publicKeyByteCount: publicKey.count) == kind else {
            throw EnclaveRefusal.anotherKind(than: kind)
        }
        return (EnclaveHandle(blob: blob, connection: connection), publicKey)
    }

    var dataRepresentation: Data { Data(blob) }

    /// Returns the signature in DER.
    func signature(ofDigest digest: [UInt8]) throws -> [UInt8] {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            try connection.answer { SignWithKey(blob, digest: digest, $0) }.bytes
        }
    }

    /// Returns the x-coordinate of the shared point.
    /// - Parameter point: uncompressed.
    func secret(agreedWith point: [UInt8]) throws -> SecretBox {
        try CalledFunction.named("SecureEnclave PrivateKey.sharedSecretFromKeyAgreement(with:)") {
            try connection.answer { AgreeWithKey(blob, peer: point, $0) }.secret
        }
    }

    /// Signs with ML-DSA. The context string is part of the signed data.
    func signature(ofMessage message: some DataProtocol, contextString: some DataProtocol) throws -> Data {
        try CalledFunction.named("SecureEnclave PrivateKey.signature(for:)") {
            let answer = try connection.answer {
                SignMessageWithKey(blob, message: Array(message), contextString: Array(contextString), $0)
            }
            return Data(answer.bytes)
        }
    }

    /// Returns the secret in a ciphertext of ML-KEM.
    func secret(in ciphertext: some DataProtocol) throws -> SymmetricKey {
        let secret = try CalledFunction.named("SecureEnclave PrivateKey.decapsulate(_:)") {
            try connection.answer { DecapsulateWithKey(blob, ciphertext: Array(ciphertext), $0) }.secret
        }
        return unsafe secret.withBytes { unsafe SymmetricKey(data: $0) }
    }

    private static func connection(_ context: LAContext?) throws -> KeyConnection {
        do throws(KeyCallFailure) {
            return try KeyConnection(context: context)
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

extension KeyConnection {
    /// Asks a question. Throws the error for the program if it is refused.
    fileprivate func answer<Question: KeyQuestion>(
        to question: (Interaction?) -> Question
    ) throws -> Question.Answer {
        do throws(EnclaveKeyRefusal) {
            return try ask(question)
        } catch {
            throw EnclaveRefusal.error(of: error)
        }
    }
}
