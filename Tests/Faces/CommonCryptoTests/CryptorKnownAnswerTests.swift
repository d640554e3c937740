import CommonCrypto
import LatchkeyTestSupport
import Testing

/// Answers that others publish, or that the openssl command gave.
@Suite struct CryptorKnownAnswerTests {
    struct Block: CustomTestStringConvertible, Sendable {
        let name: String
        let algorithm: Int
        let key, plaintext, ciphertext: String
        var testDescription: String { name }

        init(_ name: String, _ algorithm: Int, _ key: String, _ plaintext: String, _ ciphertext: String) {
            (self.name, self.algorithm) = (name, algorithm)
            (self.key, self.plaintext, self.ciphertext) = (key, plaintext, ciphertext)
        }
    }

    static let blocks = [
        Block(
            "FIPS 197, 128 bits", kCCAlgorithmAES, "000102030405060708090a0b0c0d0e0f",
            "00112233445566778899aabbccddeeff", "69c4e0d86a7b0430d8cdb78070b4c55a"),
        Block(
            "FIPS 197, 192 bits", kCCAlgorithmAES, "000102030405060708090a0b0c0d0e0f1011121314151617",
            "00112233445566778899aabbccddeeff", "dda97ca4864cdfe06eaf70a0ec0d7191"),
        Block(
            "FIPS 197, 256 bits", kCCAlgorithmAES, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
            "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"),
        Block("FIPS 46", kCCAlgorithmDES, "133457799bbcdff1", "0123456789abcdef", "85e813540f0ab405"),
        // A weak key, which is taken.
        Block("DES of ones", kCCAlgorithmDES, "0101010101010101", "8000000000000000", "95f8a5e5dd31d900"),
        // All three parts alike are DES.
        Block(
            "3DES of one key", kCCAlgorithm3DES, "133457799bbcdff1133457799bbcdff1133457799bbcdff1",
            "0123456789abcdef", "85e813540f0ab405"),
        Block(
            "RFC 2144, 128 bits", kCCAlgorithmCAST, "0123456712345678234567893456789a", "0123456789abcdef",
            "238b4fe5847e44b2"),
        Block("RFC 2144, 80 bits", kCCAlgorithmCAST, "01234567123456782345", "0123456789abcdef", "eb6a711a2c02271b"),
        Block("RFC 2144, 40 bits", kCCAlgorithmCAST, "0123456712", "0123456789abcdef", "7ac816d16e9b302e"),
        Block("RFC 2268, 64 bits", kCCAlgorithmRC2, "ffffffffffffffff", "ffffffffffffffff", "278b27e42e2f0d49"),
        Block("RFC 2268, 64 bits, other", kCCAlgorithmRC2, "3000000000000000", "1000000000000001", "30649edf9be7d2c2"),
        Block(
            "RFC 2268, 128 bits", kCCAlgorithmRC2, "88bca90e90875a7f0f79c384627bafb2", "0000000000000000",
            "2269552ab0f85ca6"),
        Block("Schneier, 64 bits", kCCAlgorithmBlowfish, "fedcba9876543210", "0123456789abcdef", "0aceab0fc6a0a28d"),
        Block(
            "Schneier, 16 bytes", kCCAlgorithmBlowfish, "f0e1d2c3b4a5968778695a4b3c2d1e0f", "fedcba9876543210",
            "93142887ee3be15c"),
    ]

    @Test("each block cipher gives the block of its specification, both ways", arguments: blocks)
    func block(_ vector: Block) throws {
        let call = CipherCall(
            algorithm: vector.algorithm, mode: kCCModeECB, key: try #require(Hex(vector.key)).bytes)
        let (plaintext, ciphertext) = (
            try #require(Hex(vector.plaintext)).bytes, try #require(Hex(vector.ciphertext)).bytes
        )
        #expect(try call.encrypt(plaintext) == ciphertext)
        #expect(try call.decrypt(ciphertext) == plaintext)
        #expect(try call.oneShot(kCCEncrypt, plaintext) == ciphertext)
        #expect(try call.oneShot(kCCDecrypt, ciphertext) == plaintext)
    }

    /// By openssl 3.0, with the key 01 02 03…, the vector f0 f1 f2… and the message 64 65 66…, 32 bytes.
    static let modes: [(Int, Int, Int, String)] = [
        (kCCAlgorithmAES, 16, kCCModeCBC, "eaad005972da1a479cc314a367a163325b675177e3edbde7f7efb749370176c6"),
        (kCCAlgorithmAES, 16, kCCModeCFB, "2b39f64d15e5ec1c327394a3d6d70ffeaf7739f6c6e778ea024d2775e74ef296"),
        (kCCAlgorithmAES, 16, kCCModeCFB8, "2b458809e86e07cd6e600a0cd7e5b1b96ac63dbd9acc4d756c01e3cbcb2ce817"),
        (kCCAlgorithmAES, 16, kCCModeOFB, "2b39f64d15e5ec1c327394a3d6d70ffe392444ee4556415b41e06cf6e93252ef"),
        (kCCAlgorithmAES, 16, kCCModeCTR, "2b39f64d15e5ec1c327394a3d6d70ffe3eaa605858a641337f88a118703aefb1"),
        (kCCAlgorithmAES, 24, kCCModeCBC, "70cf945532de0f4d46f6c998af2fc2cd86dda86dafdd86e20a7ba0708d5adbef"),
        (kCCAlgorithmAES, 24, kCCModeCTR, "ddc51e9f03fd362eaba58bee56ddb57c3a450e92f8c1d014cef3b26fcbc7aad8"),
        (kCCAlgorithmAES, 32, kCCModeCBC, "ea63acb7e13e169d4611e0a591ca30a7016deb334f3f9f383d3db35bd17ba8a1"),
        (kCCAlgorithmAES, 32, kCCModeCFB, "caa2e1e4110a94540f990134676ba5674c3af88a48b10836b7e4b7d03619a538"),
        (kCCAlgorithmAES, 32, kCCModeCTR, "caa2e1e4110a94540f990134676ba567c3ee74bcfd699f9b010a7ed4ad5e3334"),
        (kCCAlgorithmDES, 8, kCCModeECB, "9d1b90efca01740f39f5012f6b4a2ca8246006c7f93078ceea15bf8139778d7d"),
        (kCCAlgorithmDES, 8, kCCModeCBC, "c1e805341153437a082fadc246cfdb7e6c8f90de8effffd017740cd5ba8c4307"),
        (kCCAlgorithmDES, 8, kCCModeCFB, "9ea9296aa5637d9a4d7259a1956d53d8f9cbf6cae271aa7612fa90210e271afa"),
        (kCCAlgorithmDES, 8, kCCModeCFB8, "9ed147ab1b360a72dbb76f9cba4bb577f4075c13878f982b58a0b714a5af5a34"),
        (kCCAlgorithmDES, 8, kCCModeOFB, "9ea9296aa5637d9a6a054bbb6c9e88db928ed5b772ab8d4eb9ab18fc785cb27c"),
        (kCCAlgorithm3DES, 24, kCCModeECB, "5702d84d12bbe556c12e007ff6f99c1d1f149b9c29c8e48442f98529351f52c3"),
        (kCCAlgorithm3DES, 24, kCCModeCBC, "a7f4657fc4310975fc6493376e44979f25cf3e62de83c27487c234311c34fd83"),
        (kCCAlgorithm3DES, 24, kCCModeCFB, "f733c5c7204a76dc82e6ead8acfaed2953493fae3a478520c51c4c17b93ac0ae"),
        (kCCAlgorithm3DES, 24, kCCModeCFB8, "f708a2e5201ec58ebed3ec95ffd2ab8fd76d0873d31544a6c37e5a99e694e90e"),
        (kCCAlgorithm3DES, 24, kCCModeOFB, "f733c5c7204a76dc649384abab980d34ad57cbab839624c61c1af025fca66c14"),
        (kCCAlgorithmCAST, 16, kCCModeECB, "507f9eb70ed04d016a1dffc7eef9eefd09dcff102be9d47b3d9fc134ac150fc9"),
        (kCCAlgorithmCAST, 16, kCCModeCBC, "3335a75e1aef3458047813488baa195db4e7c9311d714586db0a021741874915"),
        (kCCAlgorithmCAST, 16, kCCModeCFB, "8bb9014441a567f5694e294dc77b6810111e1d09412adabdff97b8956ded64a0"),
        (kCCAlgorithmCAST, 16, kCCModeOFB, "8bb9014441a567f59fc7e29cf3c7769c54b71f75c72999f5cced5afe880d76ac"),
        (kCCAlgorithmRC2, 16, kCCModeCBC, "8b749eb4a73fc591b59e7ddb3038a5b791b5c4c8c611389878d705251964c0c2"),
        (kCCAlgorithmRC2, 16, kCCModeCFB, "a3fdeb91ac5a5baa58beeab862a3815ae882f0ee9f9656f74a3490dc82618967"),
        (kCCAlgorithmRC2, 16, kCCModeOFB, "a3fdeb91ac5a5baa7e3effd8d6ef87014f95fc60125f731151ef1f92ea3f5aeb"),
        (kCCAlgorithmBlowfish, 16, kCCModeCBC, "ece80903660e8b044c0b49175579cb92f8b4461a270a9e7ce2ac77602fa3b5b4"),
        (kCCAlgorithmBlowfish, 16, kCCModeCFB, "d20558920e703baefe1b02719a233a8b2ce587efc2eafa0c8ec62ddb6a2d1029"),
        (kCCAlgorithmBlowfish, 16, kCCModeOFB, "d20558920e703bae74708e62e03883b0eb92198ff585efd5ceec5880b70ab422"),
        (kCCAlgorithmRC4, 16, kCCModeRC4, "fea2aafd08f4749cdefe46f6bd9569e4263db2e2e86d681112f7fa8e9d9b1c9f"),
    ]

    @Test("the modes give what openssl gives, both ways")
    func modes() throws {
        let message = (100..<132).map { UInt8($0) }
        for (algorithm, keyLength, mode, expected) in Self.modes {
            let call = CipherCall(
                algorithm: algorithm, mode: mode, key: (1...keyLength).map { UInt8($0) },
                iv: (0xF0...0xFF).map { UInt8($0) })
            let ciphertext = try #require(Hex(expected)).bytes
            #expect(try call.encrypt(message) == ciphertext, "algorithm \(algorithm), mode \(mode)")
            #expect(try call.decrypt(ciphertext) == message, "algorithm \(algorithm), mode \(mode)")
        }
    }

    @Test("an empty message with padding is one block", arguments: ["0f0e0d0c0b0a09080706050403020100", nil])
    func emptyMessage(_ iv: String?) throws {
        let call = CipherCall(
            padding: ccPKCS7Padding, key: (0..<16).map { UInt8($0) }, iv: try iv.map { try #require(Hex($0)).bytes })
        let expected = iv == nil ? "954f64f2e4e86e9eee82d20216684899" : "efddc425a6fa0c5f25e444092eb0f503"
        let ciphertext = try #require(Hex(expected)).bytes
        #expect(try call.oneShot(kCCEncrypt, []) == ciphertext)
        #expect(try call.encrypt([]) == ciphertext)
        #expect(try call.oneShot(kCCDecrypt, ciphertext) == [])
        #expect(try call.decrypt(ciphertext) == [])
    }
}
