import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Testing

@testable import Security

/// Reference 9.7 and 10.2.
@Suite("Signatures")
struct SignatureTests {
    private static let message = Data("What is signed, or what its digest is signed of.".utf8)

    /// Every algorithm with a key that has it: elliptic curves of 256 and 521 bits, RSA with 2048.
    static let cases: [(SecKeyAlgorithm, SecKey)] = AlgorithmFixture.all.flatMap { algorithm, name in
        [TestKeys.p256, TestKeys.p521, TestKeys.rsa].compactMap {
            SecKeyIsAlgorithmSupported($0, .sign, algorithm) ? (algorithm, $0) : nil
        }
    }

    /// Returns the input of the algorithm: the message, its digest, or some bytes.
    private func input(_ algorithm: SecKeyAlgorithm) throws -> Data {
        guard case .signature(let parts)? = algorithm.algorithm else { throw CocoaError(.featureUnsupported) }
        guard let digest = parts.digest, !parts.takesMessage else { return Self.message }
        return Data(digest.digest(of: [UInt8](Self.message)))
    }

    private func code(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: Data, _ signature: Data) -> Int? {
        var error: Unmanaged<CFError>?
        let isRight = SecKeyVerifySignature(key, algorithm, data as CFData, signature as CFData, &error)
        #expect(isRight == (error == nil))
        return error?.takeRetainedValue().code
    }

    @Test("every algorithm signs and verifies", arguments: cases)
    func roundTrip(algorithm: SecKeyAlgorithm, key: SecKey) throws {
        let data = try input(algorithm)
        var error: Unmanaged<CFError>?
        let signature = try #require(SecKeyCreateSignature(key, algorithm, data as CFData, &error) as Data?)
        #expect(error == nil)
        #expect(code(key.other, algorithm, data, signature) == nil)
        #expect(SecKeyVerifySignature(key.other, algorithm, data as CFData, signature as CFData, nil))

        // Another message, another key, altered, cut, longer, empty.
        var otherData = data
        otherData[3] ^= 1
        #expect(code(key.other, algorithm, otherData, signature) == -67808)
        let otherKey = key.isElliptic ? TestKeys.otherP256 : TestKeys.otherRSA
        #expect(code(otherKey.other, algorithm, data, signature) == -67808)
        for index in [0, signature.count / 2, signature.count - 1] {
            var altered = signature
            altered[index] ^= 1
            #expect(code(key.other, algorithm, data, altered) == -67808)
        }
        for wrong in [signature.dropLast(), signature + [0], Data()] {
            #expect(code(key.other, algorithm, data, Data(wrong)) == -67808)
        }

        // The halves do not stand in for each other.
        #expect(code(key, algorithm, data, signature) == (key.isElliptic ? -50 : -67808))
        #expect(SecKeyCreateSignature(key.other, algorithm, data as CFData, &error) == nil)
        #expect(error?.takeRetainedValue().code == -50)
    }

    @Test("nothing at all can be signed where no digest is named, and nothing else has that signature")
    func emptyContent() throws {
        for algorithm: SecKeyAlgorithm in [.rsaSignatureDigestPKCS1v15Raw, .rsaSignatureRaw] {
            for key in [TestKeys.rsa, TestKeys.smallRSA] {
                let signature = try #require(SecKeyCreateSignature(key, algorithm, Data() as CFData, nil) as Data?)
                #expect(code(key.other, algorithm, Data(), signature) == nil)
                #expect(code(key.other, algorithm, Data([7]), signature) == -67808)
                let other = try #require(SecKeyCreateSignature(key, algorithm, Data([7]) as CFData, nil) as Data?)
                #expect(code(key.other, algorithm, Data(), other) == -67808)
                #expect(code(key.other, algorithm, Data(), Data(repeating: 0xFF, count: other.count)) == -67808)
                #expect(code(key.other, algorithm, Data(), Data()) == -67808)
            }
        }
    }

    @Test("digests have their length, other than where no digest is named", arguments: cases)
    func digestLengths(algorithm: SecKeyAlgorithm, key: SecKey) throws {
        guard case .signature(let parts)? = algorithm.algorithm, !parts.takesMessage else { return }
        guard let digest = parts.digest else {
            guard key.isElliptic else { return }
            // Longer than the order: only the first bytes count.
            let order = (key.publicKey.kind.sizeInBits + 7) / 8
            let long = Data((0..<200).map { UInt8($0) })
            let signature = try #require(SecKeyCreateSignature(key, algorithm, long as CFData, nil) as Data?)
            #expect(code(key.other, algorithm, Data(long.prefix(order)), signature) == nil)
            #expect(code(key.other, algorithm, Data(long.prefix(order - 1)), signature) == -67808)
            return
        }
        let signature = try #require(
            SecKeyCreateSignature(key, algorithm, Data(count: digest.byteCount) as CFData, nil) as Data?)
        for count in [0, digest.byteCount - 1, digest.byteCount + 1, 1000] {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, algorithm, Data(count: count) as CFData, &error) == nil)
            #expect(error?.takeRetainedValue().code == -50)
            #expect(code(key.other, algorithm, Data(count: count), signature) == -50)
        }
    }

    @Test("a signature of a message is one of its digest")
    func interchangeable() throws {
        let pairs: [(SecKeyAlgorithm, SecKeyAlgorithm, SecKey)] = [
            (.ecdsaSignatureMessageX962SHA256, .ecdsaSignatureDigestX962SHA256, TestKeys.p384),
            (.ecdsaSignatureMessageRFC4754SHA384, .ecdsaSignatureDigestRFC4754SHA384, TestKeys.p256),
            (.rsaSignatureMessagePKCS1v15SHA512, .rsaSignatureDigestPKCS1v15SHA512, TestKeys.rsa),
            (.rsaSignatureMessagePSSSHA224, .rsaSignatureDigestPSSSHA224, TestKeys.rsa),
        ]
        for (ofMessage, ofDigest, key) in pairs {
            let digest = try input(ofDigest)
            let one = try #require(SecKeyCreateSignature(key, ofMessage, Self.message as CFData, nil) as Data?)
            #expect(code(key.other, ofDigest, digest, one) == nil)
            let other = try #require(SecKeyCreateSignature(key, ofDigest, digest as CFData, nil) as Data?)
            #expect(code(key.other, ofMessage, Self.message, other) == nil)
        }
        let digest = try input(.ecdsaSignatureDigestRFC4754SHA256)
        let plain = try #require(
            SecKeyCreateSignature(TestKeys.p256, AlgorithmFixture.formerRFC4754, digest as CFData, nil) as Data?)
        #expect(plain.count == 64)
        #expect(code(TestKeys.p256.other, .ecdsaSignatureMessageRFC4754SHA256, Self.message, plain) == nil)
    }

    @Test("an algorithm of another family is -50, for signing and verifying")
    func otherFamily() {
        let table: [(SecKey, SecKeyAlgorithm)] = [
            (TestKeys.p256, .rsaSignatureMessagePKCS1v15SHA256), (TestKeys.rsa, .ecdsaSignatureMessageX962SHA256),
            (TestKeys.p256, .ecdhKeyExchangeStandard), (TestKeys.rsa, .rsaEncryptionPKCS1),
            (TestKeys.smallRSA, .rsaSignatureMessagePSSSHA512),
        ]
        for (key, algorithm) in table {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, algorithm, Self.message as CFData, &error) == nil)
            #expect(error?.takeRetainedValue().code == -50)
            #expect(code(key.other, algorithm, Self.message, Data(count: 64)) == -50)
        }
    }

    @Test("raw RSA takes at most a modulus, and pads with zeros")
    func rawRSA() throws {
        var error: Unmanaged<CFError>?
        #expect(
            SecKeyCreateSignature(TestKeys.rsa, .rsaSignatureRaw, Data(repeating: 1, count: 257) as CFData, &error)
                == nil)
        #expect(error?.takeRetainedValue().code == -50)
        let short = Data([5, 6])
        let signature = try #require(
            SecKeyCreateSignature(TestKeys.rsa, .rsaSignatureRaw, short as CFData, nil) as Data?)
        #expect(signature.count == 256)
        #expect(code(TestKeys.rsa.other, .rsaSignatureRaw, Data(count: 254) + short, signature) == nil)
    }
}
