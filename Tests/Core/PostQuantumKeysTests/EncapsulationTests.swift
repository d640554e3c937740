import LatchkeyCryptoSuite
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import Testing

@Suite("Encapsulation with ML-KEM-768") struct EncapsulationTests {
    @Test("the owner of the key recovers the secret, another owner does not") func recovery() throws {
        let keys = try (0..<2).map { _ in try PostQuantumKey(generating: .mlkem768, entropy: SystemEntropy()) }
        let made = try #require(MLKEM768Encapsulation.encapsulate(for: keys[0].publicKey))
        #expect(made.secret.count == PostQuantumKey.sharedSecretByteCount)
        #expect(made.ciphertext.count == PostQuantumKeyKind.mlkem768.ciphertextByteCount)
        #expect(try keys[0].decapsulate(made.ciphertext).equals(made.secret))
        #expect(try !keys[1].decapsulate(made.ciphertext).equals(made.secret))
        let second = try #require(MLKEM768Encapsulation.encapsulate(for: keys[0].publicKey))
        #expect(!second.secret.equals(made.secret))
    }

    @Test("the public keys of another implementation are accepted") func otherImplementation() throws {
        for answer in try Answer.all() where answer.kind == "ML-KEM-768" {
            let made = try #require(MLKEM768Encapsulation.encapsulate(for: Array(hexadecimal: answer.publicKey)))
            let key = try PostQuantumKey(.mlkem768, seed: SecretBox(copying: Array(hexadecimal: answer.seed)))
            #expect(try key.decapsulate(made.ciphertext).equals(made.secret))
        }
    }

    @Test("bytes of another length, and coefficients above the modulus, are refused") func invalid() throws {
        let key = try PostQuantumKey(generating: .mlkem768, entropy: SystemEntropy()).publicKey
        #expect(MLKEM768Encapsulation.encapsulate(for: Array(key.dropLast())) == nil)
        #expect(MLKEM768Encapsulation.encapsulate(for: key + [0]) == nil)
        #expect(MLKEM768Encapsulation.encapsulate(for: []) == nil)
        // FIPS 203 7.2: the first coefficient is 4,095, where 3,328 is the most.
        #expect(MLKEM768Encapsulation.encapsulate(for: [0xFF, 0xFF] + key.dropFirst(2)) == nil)
    }
}
