import Crypto
import Foundation
import LatchkeyCryptoSuite
import LatchkeySecretMemory
import Testing

@testable import LatchkeyPostQuantumKeys

/// Counts upwards, so that a key can be told by its seed.
private struct CountingEntropy: Entropy {
    let first: UInt8

    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices { bytes[index] = first &+ UInt8(truncatingIfNeeded: index) }
    }
}

@Suite struct PostQuantumKeyTests {
    static let seed64 = SecretBox(copying: Array(0..<64))
    static let seed32 = SecretBox(copying: Array(0..<32))
    static let signing: [PostQuantumKeyKind] = [.mldsa65, .mldsa87]
    static let decapsulating: [PostQuantumKeyKind] = [.mlkem768, .mlkem1024]

    static func key(_ kind: PostQuantumKeyKind) throws -> PostQuantumKey {
        try PostQuantumKey(kind, seed: kind.seedByteCount == 64 ? seed64 : seed32)
    }

    @Test("a new key is that of the random bytes given", arguments: PostQuantumKeyKind.allCases)
    func entropy(_ kind: PostQuantumKeyKind) throws {
        let made = try PostQuantumKey(generating: kind, entropy: CountingEntropy(first: 0))
        let key = try Self.key(kind)
        #expect(made.kind == kind)
        #expect(made.seed.equals(key.seed))
        #expect(made.publicKey == key.publicKey)
        #expect(made.publicKey.count == kind.publicKeyByteCount)
        let other = try PostQuantumKey(generating: kind, entropy: CountingEntropy(first: 1))
        #expect(other.publicKey != key.publicKey)
        let one = try PostQuantumKey(generating: kind, entropy: SystemEntropy())
        #expect(one.seed.count == kind.seedByteCount)
        #expect(try PostQuantumKey(generating: kind, entropy: SystemEntropy()).publicKey != one.publicKey)
    }

    @Test("a seed of another length is refused by its length", arguments: PostQuantumKeyKind.allCases)
    func seedLengths(_ kind: PostQuantumKeyKind) {
        let expected = kind.seedByteCount
        for count in [0, 1, 31, 32, 33, 63, 64, 65, 4096] where count != expected {
            #expect(throws: PostQuantumFailure.badSeedLength(found: count, expected: expected)) {
                _ = try PostQuantumKey(kind, seed: SecretBox(copying: [UInt8](repeating: 1, count: count)))
            }
        }
    }

    private static func encapsulated(to key: PostQuantumKey) throws -> (secret: [UInt8], ciphertext: [UInt8]) {
        let result =
            switch key.kind {
            case .mlkem768: try MLKEM768.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            default: try MLKEM1024.PublicKey(rawRepresentation: key.publicKey).encapsulate()
            }
        return (result.sharedSecret.withUnsafeBytes { Array($0) }, Array(result.encapsulated))
    }

    @Test("what is encapsulated for a public key its key opens, and no other", arguments: decapsulating)
    func decapsulation(_ kind: PostQuantumKeyKind) throws {
        let key = try Self.key(kind)
        let other = try PostQuantumKey(generating: kind, entropy: CountingEntropy(first: 9))
        for _ in 0..<4 {
            let (secret, ciphertext) = try Self.encapsulated(to: key)
            #expect(ciphertext.count == kind.ciphertextByteCount)
            #expect(secret.count == PostQuantumKey.sharedSecretByteCount)
            #expect(try key.decapsulate(ciphertext).testOnlyBytes == secret)
            #expect(try other.decapsulate(ciphertext).testOnlyBytes != secret)
        }
    }

    @Test("every altered ciphertext holds another secret, always the same", arguments: decapsulating)
    func rejection(_ kind: PostQuantumKeyKind) throws {
        let key = try Self.key(kind)
        let (secret, ciphertext) = try Self.encapsulated(to: key)
        var seen: Set<[UInt8]> = [secret]
        let places = Array(stride(from: 0, to: ciphertext.count, by: 61)) + [ciphertext.count - 1]
        for place in places {
            var altered = ciphertext
            altered[place] ^= 1 << UInt8(place % 8)
            let found = try key.decapsulate(altered).testOnlyBytes
            #expect(found.count == 32)
            #expect(try key.decapsulate(altered).testOnlyBytes == found)
            seen.insert(found)
        }
        #expect(seen.count == places.count + 1)
    }

    @Test("a ciphertext of another length is refused by its length", arguments: decapsulating)
    func ciphertextLengths(_ kind: PostQuantumKeyKind) throws {
        let key = try Self.key(kind)
        let expected = try #require(kind.ciphertextByteCount)
        for count in [0, 1, 32, 768, 1087, 1088, 1089, 1567, 1568, 1569, 1 << 20] where count != expected {
            #expect(throws: PostQuantumFailure.badCiphertextLength(found: count, expected: expected)) {
                _ = try key.decapsulate([UInt8](repeating: 7, count: count))
            }
        }
    }

    private static func isValid(
        _ signature: [UInt8], _ message: [UInt8], _ context: [UInt8], by key: PostQuantumKey
    ) throws -> Bool {
        switch key.kind {
        case .mldsa65:
            try MLDSA65.PublicKey(rawRepresentation: key.publicKey)
                .isValidSignature(signature, for: message, context: context)
        default:
            try MLDSA87.PublicKey(rawRepresentation: key.publicKey)
                .isValidSignature(signature, for: message, context: context)
        }
    }

    @Test("a signature is good for its message, context and key alone", arguments: signing)
    func signatures(_ kind: PostQuantumKeyKind) throws {
        let key = try Self.key(kind)
        let other = try PostQuantumKey(generating: kind, entropy: CountingEntropy(first: 9))
        let contexts: [[UInt8]] = [[], [0], [1], Array("login".utf8), [UInt8](repeating: 5, count: 255)]
        for message in [[], [0], Array("message".utf8), [UInt8](repeating: 3, count: 100_000)] as [[UInt8]] {
            for context in contexts {
                let signature = try key.sign(message, contextString: context)
                #expect(signature.count == kind.signatureByteCount)
                for asked in contexts {
                    #expect(try Self.isValid(signature, message, asked, by: key) == (asked == context))
                }
                #expect(try !Self.isValid(signature, message + [0], context, by: key))
                #expect(try !Self.isValid(signature, message, context, by: other))
                var altered = signature
                altered[signature.count / 2] ^= 1
                #expect(try !Self.isValid(altered, message, context, by: key))
            }
        }
        // Hedged: nothing can be learned from what stays the same.
        #expect(try key.sign([1]) != key.sign([1]))
        // Where one field ends and the next begins is signed, too.
        let joined = try key.sign(Array("ab".utf8), contextString: Array("c".utf8))
        #expect(try !Self.isValid(joined, Array("b".utf8), Array("ca".utf8), by: key))
    }

    @Test("a context string of more than 255 bytes is refused", arguments: [256, 257, 65_536])
    func contextStrings(byteCount: Int) throws {
        for kind in PostQuantumKeyKind.allCases {
            #expect(throws: PostQuantumFailure.contextStringTooLong(found: byteCount, limit: 255)) {
                _ = try Self.key(kind).sign([], contextString: [UInt8](repeating: 0, count: byteCount))
            }
        }
    }

    @Test("a key does what its kind does and nothing else") func kinds() throws {
        for kind in Self.decapsulating {
            #expect(throws: PostQuantumFailure.doesNotSign(kind)) { _ = try Self.key(kind).sign([1]) }
            #expect(kind.signatureByteCount == nil)
        }
        for kind in Self.signing {
            for count in [0, 1088, 1568] {
                #expect(throws: PostQuantumFailure.doesNotDecapsulate(kind)) {
                    _ = try Self.key(kind).decapsulate([UInt8](repeating: 0, count: count))
                }
            }
            #expect(kind.ciphertextByteCount == nil)
        }
        let publicKeys = try PostQuantumKeyKind.allCases.map { try Self.key($0).publicKey.prefix(32) }
        #expect(Set(publicKeys).count == 4)
    }
}
