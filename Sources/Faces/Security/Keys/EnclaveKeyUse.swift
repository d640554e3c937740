import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// One use of a key in the enclave, as a private key. It keeps why it was refused, for the program's error.
final class EnclaveKeyUse: PrivateKeyOperations {
    private let key: EnclaveKey
    private let refused = ForkMutex<Refusal?>(nil)

    init(_ key: EnclaveKey) {
        self.key = key
    }

    var publicKey: PublicKey { key.publicKey }

    /// The refusal of the enclave, or of the keychain before it.
    var refusal: Refusal? { refused.withLock { $0 } }

    /// Only a digest goes to the enclave.
    func sign(_ signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) -> [UInt8] {
        guard supports(.signature(algorithm), for: .sign) else { throw .unsupported }
        let digest = try Self.digest(of: signed, algorithm)
        let signature = try answer { SignWithKey(key.blob, digest: digest, $0) }.bytes
        guard algorithm.scheme == .ecdsaRFC4754 else { return signature }
        guard let raw = ECDSASignature.raw(der: signature, curve: .p256) else { throw nonsense() }
        return raw
    }

    func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox {
        guard peer.kind == publicKey.kind else { throw .badInput(reason: "The other key is on another curve.") }
        return try answer { AgreeWithKey(key.blob, peer: peer.externalRepresentation, $0) }.secret
    }

    /// The bytes to sign: the 1 to 32 that count with P-256.
    private static func digest(
        of signed: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(KeyOperationFailure) -> [UInt8] {
        let digest = try algorithm.digested(signed)
        // ECDSA treats an empty digest as the number 0.
        return digest.isEmpty ? [0] : Array(digest.prefix(32))
    }

    private func answer<Question: KeyQuestion>(
        to question: (Interaction?) -> Question
    ) throws(KeyOperationFailure) -> Question.Answer {
        do throws(EnclaveKeyRefusal) {
            return try key.connection.ask(question)
        } catch {
            let refusal = error.refusal
            refused.withLock { $0 = refusal }
            throw .refused(
                status: error.code.rawValue,
                reason: refusal?.reason ?? "The enclave did not use the key; it gave no reason.")
        }
    }

    private func nonsense() -> KeyOperationFailure {
        let nonsense = KeyCallFailure.nonsense
        refused.withLock { $0 = nonsense.refusal }
        return .refused(status: nonsense.code, reason: nonsense.reason)
    }
}
