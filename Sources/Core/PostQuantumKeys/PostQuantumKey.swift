package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// A private key of ML-KEM or ML-DSA, kept as the seed from which it is expanded.
///
/// The seed is in locked memory and is wiped with its last owner. swift-crypto, which does the mathematics, keeps its
/// keys in ordinary memory; each key exists there for one use only (``ExpandedKey`` says which parts are wiped).
package struct PostQuantumKey: Sendable {
    package let kind: PostQuantumKeyKind
    package let seed: SecretBox
    /// In the encoding of the standard.
    package let publicKey: [UInt8]

    /// The longest context string of a message, by FIPS 204.
    package static let contextStringByteCount = 255
    package static let sharedSecretByteCount = 32

    package init(_ kind: PostQuantumKeyKind, seed: SecretBox) throws(PostQuantumFailure) {
        guard seed.count == kind.seedByteCount else {
            throw .badSeedLength(found: seed.count, expected: kind.seedByteCount)
        }
        self.kind = kind
        self.seed = seed
        publicKey =
            switch kind {
            case .mlkem768: try MLKEM768Key.withKey(from: seed) { $0.publicBytes }
            case .mlkem1024: try MLKEM1024Key.withKey(from: seed) { $0.publicBytes }
            case .mldsa65: try MLDSA65Key.withKey(from: seed) { $0.publicBytes }
            case .mldsa87: try MLDSA87Key.withKey(from: seed) { $0.publicBytes }
            }
    }

    /// Makes a key.
    package init(generating kind: PostQuantumKeyKind, entropy: any Entropy) throws(PostQuantumFailure) {
        try self.init(kind, seed: unsafe SecretBox(count: kind.seedByteCount) { unsafe entropy.fill($0) })
    }

    /// Signs with ML-DSA, hedged: two signatures of the same message differ.
    package func sign(_ message: [UInt8], contextString: [UInt8] = []) throws(PostQuantumFailure) -> [UInt8] {
        let limit = Self.contextStringByteCount
        guard contextString.count <= limit else {
            throw .contextStringTooLong(found: contextString.count, limit: limit)
        }
        return switch kind {
        case .mldsa65: try MLDSA65Key.withKey(from: seed) { try $0.signed(message, contextString) }
        case .mldsa87: try MLDSA87Key.withKey(from: seed) { try $0.signed(message, contextString) }
        case .mlkem768, .mlkem1024: throw .doesNotSign(kind)
        }
    }

    /// Returns the secret that was encapsulated in a ciphertext with the public key.
    ///
    /// FIPS 203 rejects implicitly: altered bytes of the right length give another secret, always the same for the same
    /// bytes, that no other party can know.
    package func decapsulate(_ ciphertext: [UInt8]) throws(PostQuantumFailure) -> SecretBox {
        guard let expected = kind.ciphertextByteCount else { throw .doesNotDecapsulate(kind) }
        guard ciphertext.count == expected else {
            throw .badCiphertextLength(found: ciphertext.count, expected: expected)
        }
        return switch kind {
        case .mlkem768: try MLKEM768Key.withKey(from: seed) { try $0.opened(ciphertext) }
        case .mlkem1024: try MLKEM1024Key.withKey(from: seed) { try $0.opened(ciphertext) }
        case .mldsa65, .mldsa87: throw .doesNotDecapsulate(kind)
        }
    }
}
