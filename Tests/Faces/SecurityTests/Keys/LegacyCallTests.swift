import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Testing

@testable import Security

/// Reference 10.5.
@Suite("The older calls")
struct LegacyCallTests {
    @available(*, deprecated)
    private func signed(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], room: Int = 600) -> (OSStatus, [UInt8])
    {
        var signature = [UInt8](repeating: 0xEE, count: max(room, 1))
        var count = room
        let status = SecKeyRawSign(key, padding, digest, digest.count, &signature, &count)
        return (status, Array(signature.prefix(count)))
    }

    @available(*, deprecated)
    private func verified(_ key: SecKey, _ padding: SecPadding, _ digest: [UInt8], _ signature: [UInt8]) -> OSStatus {
        SecKeyRawVerify(key, padding, digest, digest.count, signature, signature.count)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let padding: SecPadding
        let byteCount: Int
        /// The algorithm with the same meaning; nil: -50.
        let ofRSA: SecKeyAlgorithm?
        let ofCurve: SecKeyAlgorithm
        var testDescription: String { String(padding.rawValue, radix: 16) }
    }

    static let rows: [Row] = [
        Row(padding: [], byteCount: 32, ofRSA: .rsaSignatureRaw, ofCurve: .ecdsaSignatureDigestX962),
        Row(padding: .PKCS1, byteCount: 32, ofRSA: .rsaSignatureDigestPKCS1v15Raw, ofCurve: .ecdsaSignatureDigestX962),
        Row(
            padding: .PKCS1SHA1, byteCount: 20, ofRSA: .rsaSignatureDigestPKCS1v15SHA1,
            ofCurve: .ecdsaSignatureDigestX962),
        Row(
            padding: .PKCS1SHA224, byteCount: 28, ofRSA: .rsaSignatureDigestPKCS1v15SHA224,
            ofCurve: .ecdsaSignatureDigestX962),
        Row(
            padding: .PKCS1SHA256, byteCount: 32, ofRSA: .rsaSignatureDigestPKCS1v15SHA256,
            ofCurve: .ecdsaSignatureDigestX962),
        Row(
            padding: .PKCS1SHA384, byteCount: 48, ofRSA: .rsaSignatureDigestPKCS1v15SHA384,
            ofCurve: .ecdsaSignatureDigestX962),
        Row(
            padding: .PKCS1SHA512, byteCount: 64, ofRSA: .rsaSignatureDigestPKCS1v15SHA512,
            ofCurve: .ecdsaSignatureDigestX962),
        Row(padding: .sigRaw, byteCount: 32, ofRSA: nil, ofCurve: AlgorithmFixture.formerRFC4754),
        Row(padding: .PKCS1MD2, byteCount: 16, ofRSA: nil, ofCurve: .ecdsaSignatureDigestX962),
        Row(padding: .PKCS1MD5, byteCount: 16, ofRSA: nil, ofCurve: .ecdsaSignatureDigestX962),
        Row(padding: .OAEP, byteCount: 32, ofRSA: nil, ofCurve: .ecdsaSignatureDigestX962),
        Row(padding: SecPadding(rawValue: 0x1234), byteCount: 32, ofRSA: nil, ofCurve: .ecdsaSignatureDigestX962),
    ]

    @available(*, deprecated)
    @Test("paddings mean algorithms", arguments: rows)
    func signatures(row: Row) throws {
        let digest = (0..<row.byteCount).map { UInt8($0 + 1) }
        for (key, algorithm) in [(TestKeys.p256, row.ofCurve), (TestKeys.rsa, row.ofRSA)] {
            let (status, signature) = signed(key, row.padding, digest)
            guard let algorithm else {
                #expect(status == -50)
                #expect(verified(key.other, row.padding, digest, [1, 2, 3]) == -50)
                continue
            }
            #expect(status == errSecSuccess)
            #expect(verified(key.other, row.padding, digest, signature) == errSecSuccess)
            let (data, sig) = (Data(digest) as CFData, Data(signature) as CFData)
            #expect(SecKeyVerifySignature(key.other, algorithm, data, sig, nil))
            let ofNow = try #require(SecKeyCreateSignature(key, algorithm, data, nil) as Data?)
            #expect(verified(key.other, row.padding, digest, [UInt8](ofNow)) == errSecSuccess)
            var altered = digest
            altered[0] ^= 0x80
            #expect(verified(key.other, row.padding, altered, signature) == -9809)
            #expect(verified(key.other, row.padding, digest, signature.dropLast()) == -9809)
            #expect(verified(key.other, row.padding, digest, []) == -9809)
            #expect(verified(key, row.padding, digest, signature) == (key == TestKeys.rsa ? -9809 : -50))
            #expect(signed(key.other, row.padding, digest).0 == -50)
        }
    }

    @available(*, deprecated)
    @Test("a public RSA key looks into a signature, without the zeros in front")
    func inspection() {
        let digest = [UInt8](repeating: 7, count: 32)
        let signature = signed(TestKeys.rsa, .PKCS1, digest).1
        let inside = crypted(signature, room: 256) { SecKeyDecrypt(TestKeys.rsa.other, [], $0, $1, $2, $3) }
        #expect(inside.0 == errSecSuccess)
        #expect(inside.1 == [1] + [UInt8](repeating: 0xFF, count: 256 - 35) + [0] + digest)
    }

    @available(*, deprecated)
    @Test("a result goes only where it has room, and tells its length")
    func room() {
        let digest = [UInt8](repeating: 7, count: 32)
        #expect(signed(TestKeys.rsa, .PKCS1SHA256, digest, room: 256).1.count == 256)
        #expect(signed(TestKeys.rsa, .PKCS1SHA256, digest, room: 255).0 == -50)
        #expect(signed(TestKeys.p256, .sigRaw, digest, room: 64).1.count == 64)
        for room in [63, 0, -1] {
            var signature = [UInt8](repeating: 0xEE, count: 64)
            var count = room
            #expect(SecKeyRawSign(TestKeys.p256, .sigRaw, digest, 32, &signature, &count) == -50)
            #expect(count == room)
            #expect(signature.allSatisfy { $0 == 0xEE })
        }
        #expect(SecKeyRawVerify(TestKeys.p256.other, .sigRaw, digest, -1, digest, 32) == -50)
        #expect(SecKeyRawVerify(TestKeys.p256.other, .sigRaw, digest, 32, digest, -1) == -50)
    }

    private func crypted(
        _ data: [UInt8], room: Int,
        _ call: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> OSStatus
    ) -> (OSStatus, [UInt8]) {
        var result = [UInt8](repeating: 0xEE, count: max(room, 1))
        var count = room
        let status = call(data, data.count, &result, &count)
        return (status, status == errSecSuccess ? Array(result.prefix(count)) : [])
    }

    @available(*, deprecated)
    @Test("RSA encrypts and decrypts with its three paddings")
    func encryption() {
        let key = TestKeys.rsa
        let table: [(SecPadding, SecKeyAlgorithm)] = [
            ([], .rsaEncryptionRaw), (.PKCS1, .rsaEncryptionPKCS1), (.OAEP, .rsaEncryptionOAEPSHA1),
        ]
        for (padding, algorithm) in table {
            let plain: [UInt8] = [9, 0, 5]
            let (status, cipher) = crypted(plain, room: 300) { SecKeyEncrypt(key.other, padding, $0, $1, $2, $3) }
            #expect(status == errSecSuccess)
            #expect(cipher.count == 256)
            let back = crypted(cipher, room: 300) { SecKeyDecrypt(key, padding, $0, $1, $2, $3) }
            #expect(back.0 == errSecSuccess)
            #expect(back.1 == plain)
            let ofNow = SecKeyCreateDecryptedData(key, algorithm, Data(cipher) as CFData, nil) as Data?
            #expect(ofNow.map { [UInt8]($0.suffix(3)) } == plain)
            for room in [255, 0, -1] {
                #expect(crypted(plain, room: room) { SecKeyEncrypt(key.other, padding, $0, $1, $2, $3) }.0 == -50)
            }
            for room in [2, -1] {
                #expect(crypted(cipher, room: room) { SecKeyDecrypt(key, padding, $0, $1, $2, $3) }.0 == -50)
            }
            #expect(crypted(plain, room: 300) { SecKeyEncrypt(key, padding, $0, $1, $2, $3) }.0 == -50)
            let byOther = crypted(cipher, room: 300) { SecKeyDecrypt(key.other, padding, $0, $1, $2, $3) }
            #expect(byOther.0 == (padding.isEmpty ? errSecSuccess : -50))
            #expect(byOther.1 != plain)
            #expect(
                crypted(plain, room: 300) { start, _, result, count in
                    SecKeyEncrypt(key.other, padding, start, -1, result, count)
                }.0 == -50)
        }
        let zeros = crypted([0, 0], room: 300) { SecKeyEncrypt(key.other, [], $0, $1, $2, $3) }.1
        let back = crypted(zeros, room: 0) { SecKeyDecrypt(key, [], $0, $1, $2, $3) }
        #expect(back.0 == errSecSuccess && back.1.isEmpty)
    }

    @available(*, deprecated)
    @Test("other paddings and elliptic curves do not encrypt")
    func noEncryption() {
        for padding: SecPadding in [.sigRaw, .PKCS1SHA1, .PKCS1SHA256, .PKCS1MD5] {
            #expect(crypted([1], room: 300) { SecKeyEncrypt(TestKeys.rsa.other, padding, $0, $1, $2, $3) }.0 == -50)
        }
        for padding: SecPadding in [[], .PKCS1, .OAEP] {
            #expect(crypted([1], room: 300) { SecKeyEncrypt(TestKeys.p256.other, padding, $0, $1, $2, $3) }.0 == -50)
            #expect(crypted([1], room: 300) { SecKeyDecrypt(TestKeys.p256, padding, $0, $1, $2, $3) }.0 == -50)
        }
    }
}
