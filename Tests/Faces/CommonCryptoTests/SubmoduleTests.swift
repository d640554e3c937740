import CommonCrypto.CommonCryptoError
import CommonCrypto.CommonCryptor
import CommonCrypto.CommonDigest
import CommonCrypto.CommonHMAC
import CommonCrypto.CommonKeyDerivation
import CommonCrypto.CommonRandom
import CommonCrypto.CommonSymmetricKeywrap
import Testing

@Suite("The parts of CommonCrypto, imported one by one")
struct SubmoduleTests {
    @Test("have the names of their headers")
    func names() {
        #expect(CC_SHA256_DIGEST_LENGTH == 32)
        #expect(kCCSuccess == 0 && kCCBlockSizeAES128 == 16 && kCCHmacAlgSHA256 == 2 && kCCPBKDF2 == 2)
        var bytes: [UInt8] = [0]
        #expect(CCRandomGenerateBytes(&bytes, 0) == CCRNGStatus(kCCSuccess))
        #expect(CCSymmetricWrappedSize(CCWrappingAlgorithm(kCCWRAPAES), 16) == 24)
    }
}
