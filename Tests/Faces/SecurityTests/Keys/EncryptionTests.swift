import Foundation
import Testing

@testable import Security

/// Reference 9.7, 10.3 and 10.4.
@Suite("Encryption with keys")
struct EncryptionTests {
    static let cases: [(SecKeyAlgorithm, SecKey)] = AlgorithmFixture.all.flatMap { algorithm, name in
        [TestKeys.p256, TestKeys.p384, TestKeys.rsa].compactMap {
            SecKeyIsAlgorithmSupported($0, .decrypt, algorithm) ? (algorithm, $0) : nil
        }
    }

    private func decrypted(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: Data) -> (Data?, code: Int?) {
        var error: Unmanaged<CFError>?
        let plain = SecKeyCreateDecryptedData(key, algorithm, data as CFData, &error) as Data?
        #expect((plain == nil) == (error != nil))
        return (plain, error?.takeRetainedValue().code)
    }

    private func encrypted(_ key: SecKey, _ algorithm: SecKeyAlgorithm, _ data: Data) -> (Data?, code: Int?) {
        var error: Unmanaged<CFError>?
        let cipher = SecKeyCreateEncryptedData(key, algorithm, data as CFData, &error) as Data?
        #expect((cipher == nil) == (error != nil))
        return (cipher, error?.takeRetainedValue().code)
    }

    @Test("what is encrypted for a key, it decrypts", arguments: cases)
    func roundTrip(algorithm: SecKeyAlgorithm, key: SecKey) throws {
        let isRaw = algorithm == .rsaEncryptionRaw
        for count in [0, 1, 32] {
            // Raw RSA gives the whole block back.
            let plain = Data((0..<count).map { UInt8(200 + $0) })
            let cipher = try #require(encrypted(key.other, algorithm, plain).0, "\(count)")
            let back = try #require(decrypted(key, algorithm, cipher).0, "\(count)")
            #expect(back == (isRaw ? Data(count: 256 - count) + plain : plain))
        }
    }

    @Test("the wrong key, half or algorithm and altered bytes give nothing but -50", arguments: cases)
    func wrong(algorithm: SecKeyAlgorithm, key: SecKey) throws {
        let plain = Data("sixteen letters.".utf8)
        let cipher = try #require(encrypted(key.other, algorithm, plain).0)
        #expect(encrypted(key, algorithm, plain).code == -50)
        // A public RSA key works on without padding, and gives other bytes.
        #expect(decrypted(key.other, algorithm, cipher).code == (algorithm == .rsaEncryptionRaw ? nil : -50))
        #expect(decrypted(key.other, algorithm, cipher).0 != decrypted(key, algorithm, cipher).0)
        #expect(decrypted(key, .ecdhKeyExchangeCofactor, cipher).code == -50)
        #expect(encrypted(key.other, .rsaSignatureRaw, plain).code == -50)
        let otherFamily = key.isElliptic ? TestKeys.rsa : TestKeys.p256
        #expect(encrypted(otherFamily.other, algorithm, plain).code == -50)
        #expect(decrypted(otherFamily, algorithm, cipher).code == -50)
        // Without a check value another plaintext comes out; with PKCS#1 by chance too.
        guard algorithm != .rsaEncryptionRaw, algorithm != .rsaEncryptionPKCS1 else { return }
        let otherKey = key.isElliptic ? TestKeys.otherP256 : TestKeys.otherRSA
        #expect(decrypted(otherKey, algorithm, cipher).code == -50)
        for index in [0, 1, cipher.count / 2, cipher.count - 1] {
            var altered = cipher
            altered[index] ^= 1
            #expect(decrypted(key, algorithm, altered).code == -50, "\(index)")
        }
        for data in [Data(), cipher.dropLast(), cipher + [0], cipher.prefix(20), Data(cipher.prefix(65))] {
            #expect(decrypted(key, algorithm, Data(data)).code == -50)
        }
    }

    @Test("a public RSA key opens what its private half padded as for encryption, and shows whole blocks")
    func publicDecryption() throws {
        let key = TestKeys.rsa
        let content = Data("content".utf8)
        let block = Data([0, 2] + [UInt8](repeating: 0x55, count: 256 - 3 - content.count) + [0]) + content
        let sealed = try #require(SecKeyCreateSignature(key, .rsaSignatureRaw, block as CFData, nil) as Data?)
        #expect(decrypted(key.other, .rsaEncryptionRaw, sealed).0 == block)
        #expect(decrypted(key.other, .rsaEncryptionPKCS1, sealed).0 == content)
        #expect(decrypted(key.other, .rsaEncryptionOAEPSHA1, sealed).code == -50)
        #expect(decrypted(key.other, .rsaEncryptionOAEPSHA1AESGCM, sealed).code == -50)
        let signature = try #require(
            SecKeyCreateSignature(key, .rsaSignatureDigestPKCS1v15Raw, content as CFData, nil) as Data?)
        let inside = try #require(decrypted(key.other, .rsaEncryptionRaw, signature).0)
        #expect(inside.prefix(3) == Data([0, 1, 0xFF]) && inside.suffix(content.count) == content)
        #expect(decrypted(key.other, .rsaEncryptionPKCS1, signature).code == -50)
        for wrong in [signature + [0], Data(repeating: 0xFF, count: 256)] {
            #expect(decrypted(key.other, .rsaEncryptionRaw, wrong).code == -50)
        }
    }

    @Test("algorithms do not open what others made, but standard and cofactor are one")
    func mismatch() throws {
        let plain = Data([1, 2, 3])
        let cipher = try #require(
            encrypted(TestKeys.p256.other, .eciesEncryptionStandardX963SHA256AESGCM, plain).0)
        #expect(decrypted(TestKeys.p256, .eciesEncryptionCofactorX963SHA256AESGCM, cipher).0 == plain)
        for other: SecKeyAlgorithm in [
            .eciesEncryptionStandardX963SHA512AESGCM, .eciesEncryptionStandardVariableIVX963SHA256AESGCM,
        ] {
            #expect(decrypted(TestKeys.p256, other, cipher).code == -50)
        }
        let ofRSA = try #require(encrypted(TestKeys.rsa.other, .rsaEncryptionOAEPSHA256AESGCM, plain).0)
        #expect(decrypted(TestKeys.rsa, .rsaEncryptionOAEPSHA1AESGCM, ofRSA).code == -50)
        #expect(decrypted(TestKeys.rsa, .rsaEncryptionOAEPSHA256, ofRSA).code == -50)
    }

    @Test("ciphertexts have the lengths of their format, and no two are the same")
    func lengths() throws {
        let plain = Data(count: 10)
        for (key, point) in zip(TestKeys.elliptic, [49, 57, 65, 97, 133]) {
            let one = try #require(encrypted(key.other, .eciesEncryptionCofactorX963SHA256AESGCM, plain).0)
            #expect(one.count == point + 10 + 16)
            #expect(one.first == 4)
            #expect(one != encrypted(key.other, .eciesEncryptionCofactorX963SHA256AESGCM, plain).0)
        }
        #expect(encrypted(TestKeys.rsa.other, .rsaEncryptionOAEPSHA512AESGCM, plain).0?.count == 256 + 10 + 16)
        #expect(encrypted(TestKeys.rsa.other, .rsaEncryptionPKCS1, plain).0?.count == 256)
    }

    @Test("RSA takes as much as its padding leaves")
    func limits() {
        let table: [(SecKeyAlgorithm, Int)] = [
            (.rsaEncryptionRaw, 256), (.rsaEncryptionPKCS1, 256 - 11), (.rsaEncryptionOAEPSHA1, 256 - 42),
            (.rsaEncryptionOAEPSHA256, 256 - 66), (.rsaEncryptionOAEPSHA512, 256 - 130),
        ]
        for (algorithm, limit) in table {
            let most = encrypted(TestKeys.rsa.other, algorithm, Data(count: limit))
            #expect(most.0?.count == 256, "\(algorithm.rawValue)")
            #expect(encrypted(TestKeys.rsa.other, algorithm, Data(count: limit + 1)).code == -50)
        }
    }
}
