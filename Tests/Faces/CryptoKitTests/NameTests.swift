// A file as programs have it: every module that they import together, and names without their module.
import CommonCrypto
import CryptoKit
import Foundation
import LocalAuthentication
import Security
import Testing

@Suite("The names of CryptoKit beside those of other modules")
struct NameTests {
    @Test("mean what a program for iOS means by them")
    func names() throws {
        let key = SymmetricKey(size: .bits256)
        let text = Data("text".utf8)
        #expect(try AES.GCM.open(AES.GCM.seal(text, using: key), using: key) == text)
        #expect(try ChaChaPoly.open(ChaChaPoly.seal(text, using: key), using: key) == text)
        let code = HMAC<SHA256>.authenticationCode(for: text, using: key)
        #expect(HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text, using: key))
        let signer = Curve25519.Signing.PrivateKey()
        #expect(signer.publicKey.isValidSignature(try signer.signature(for: text), for: text))
        let derived = HKDF<SHA512>.deriveKey(inputKeyMaterial: key, outputByteCount: 16)
        #expect(derived.bitCount == 128)
        #expect(CryptoKit.SHA256.hash(data: text) == SHA256.hash(data: text))
        #expect(Insecure.MD5.byteCount == Int(CC_MD5_DIGEST_LENGTH))
        #expect(throws: CryptoKitError.self) { try AES.GCM.open(AES.GCM.seal(text, using: key), using: derived) }
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        CC_SHA256(Array(text), CC_LONG(text.count), &digest)
        #expect(SHA256.hash(data: text) == digest)
    }
}
