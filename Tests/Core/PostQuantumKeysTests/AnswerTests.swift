import Crypto
import Foundation
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory
import Testing

@Suite("Keys of ML-KEM and ML-DSA are those of another implementation")
struct AnswerTests {
    private static func key(_ answer: Answer) throws -> PostQuantumKey {
        let kind = try #require(Answer.kinds[answer.kind])
        return try PostQuantumKey(kind, seed: SecretBox(copying: Array(hexadecimal: answer.seed)))
    }

    @Test("a seed grows into the same public key") func publicKeys() throws {
        let answers = try Answer.all()
        #expect(answers.count == 12 && Set(answers.map(\.kind)).count == 4)
        for answer in answers {
            #expect(try Self.key(answer).publicKey == Array(hexadecimal: answer.publicKey))
        }
    }

    @Test("a ciphertext holds the same secret, and altered the same other one") func secrets() throws {
        let answers = try Answer.all().filter { $0.ciphertext != nil }
        #expect(answers.count == 6)
        for answer in answers {
            let key = try Self.key(answer)
            var ciphertext = Array(hexadecimal: try #require(answer.ciphertext))
            let secret = Array(hexadecimal: try #require(answer.secret))
            #expect(try key.decapsulate(ciphertext).testOnlyBytes == secret)
            ciphertext[try #require(answer.alteredByte)] ^= 1 << UInt8(try #require(answer.alteredBit))
            let rejected = Array(hexadecimal: try #require(answer.rejectedSecret))
            #expect(rejected != secret)
            #expect(try key.decapsulate(ciphertext).testOnlyBytes == rejected)
        }
    }

    private static func isValid(_ signature: [UInt8], _ message: [UInt8], _ context: [UInt8], by key: PostQuantumKey)
        throws -> Bool
    {
        switch key.kind {
        case .mldsa65:
            try MLDSA65.PublicKey(rawRepresentation: key.publicKey)
                .isValidSignature(signature, for: message, context: context)
        case .mldsa87:
            try MLDSA87.PublicKey(rawRepresentation: key.publicKey)
                .isValidSignature(signature, for: message, context: context)
        case .mlkem768, .mlkem1024: false
        }
    }

    @Test("its signatures are good under this key, and so are this key's own") func signatures() throws {
        let answers = try Answer.all().filter { $0.signature != nil }
        #expect(answers.count == 6)
        for answer in answers {
            let key = try Self.key(answer)
            let message = Array(hexadecimal: try #require(answer.message))
            let context = Array(hexadecimal: try #require(answer.context))
            let theirs = Array(hexadecimal: try #require(answer.signature))
            let own = try key.sign(message, contextString: context)
            for signature in [theirs, own] {
                #expect(signature.count == key.kind.signatureByteCount)
                #expect(try Self.isValid(signature, message, context, by: key))
                #expect(try !Self.isValid(signature, message + [0], context, by: key))
                #expect(try !Self.isValid(signature, message, context + [0], by: key))
            }
            #expect(own != theirs)
        }
    }
}
