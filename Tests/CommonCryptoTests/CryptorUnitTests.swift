import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// The ciphers of disks: XTS, and single blocks in both directions.
@Suite struct CryptorUnitTests {
    /// IEEE 1619, annex B, vector 15: 17 bytes, so that ciphertext is stolen.
    @Test("XTS gives the known answers, of whole blocks and of others")
    func knownAnswers() throws {
        let vectors = [
            (
                "46e6ed9ef42dcdb3c893093c28e1fc0f", "91f5caa3b6e0bc5a14e783215c1d5b61",
                "72f3b054cbdc2f9e3c5bc551d44ddba0", "e3778d68e730ef945b4ae3bc5b936bdd",
                "97409f1f71ae4521cb49a32973de4d05"
            ),
            (
                "fffefdfcfbfaf9f8f7f6f5f4f3f2f1f0", "bfbebdbcbbbab9b8b7b6b5b4b3b2b1b0",
                "9a785634120000000000000000000000", "000102030405060708090a0b0c0d0e0f10",
                "6c1625db4671522d3d7599601de7ca09ed"
            ),
        ]
        for (key, tweak, iv, plaintext, ciphertext) in vectors {
            let call = CipherCall(
                mode: kCCModeXTS, key: try #require(Hex(key)).bytes, tweak: try #require(Hex(tweak)).bytes)
            let iv = try #require(Hex(iv)).bytes
            let (plain, secret) = (try #require(Hex(plaintext)).bytes, try #require(Hex(ciphertext)).bytes)
            // Both directions, whichever was named.
            for operation in [kCCEncrypt, kCCDecrypt, kCCBoth] {
                try call.withCryptor(operation) { cryptor in
                    var output = plain
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, plain.count, &output) == kCCSuccess)
                    #expect(output == secret)
                    #expect(CCCryptorDecryptDataBlock(cryptor, iv, secret, secret.count, &output) == kCCSuccess)
                    #expect(output == plain)
                }
            }
        }
    }

    @Test("units are apart from each other, may lie over each other, and need a block at least")
    func units() throws {
        let call = CipherCall(mode: kCCModeXTS, key: TestedCipher.bytes(32), tweak: TestedCipher.bytes(32, from: 90))
        let (iv, plain) = (TestedCipher.bytes(16), TestedCipher.bytes(100))
        try call.withCryptor(kCCEncrypt) { cryptor in
            for length in 16...100 {
                var first = [UInt8](repeating: 0, count: 100)
                #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, length, &first) == kCCSuccess)
                #expect(first[length...].allSatisfy { $0 == 0 })
                var memory = [UInt8](repeating: 0, count: 3) + plain
                memory.withUnsafeMutableBytes { memory in
                    guard let start = memory.baseAddress else { return }
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, start + 3, length, start) == kCCSuccess)
                }
                #expect(memory.prefix(length) == first.prefix(length))
                memory.withUnsafeMutableBytes { memory in
                    #expect(
                        CCCryptorDecryptDataBlock(cryptor, iv, memory.baseAddress, length, memory.baseAddress)
                            == kCCSuccess)
                }
                #expect(memory.prefix(length) == plain.prefix(length))
            }
            var output = plain
            #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, 0, nil) == kCCSuccess)
            for length in [1, 15, -1, Int.max, Int.min] {
                #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, length, &output) == kCCParamError)
                #expect(CCCryptorDecryptDataBlock(cryptor, iv, plain, length, &output) == kCCParamError)
            }
            #expect(CCCryptorEncryptDataBlock(cryptor, nil, plain, 32, &output) == kCCParamError)
            #expect(CCCryptorEncryptDataBlock(cryptor, iv, nil, 32, &output) == kCCParamError)
            #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, 32, nil) == kCCParamError)
            #expect(output == plain)
            // The other calls have no tweak to begin with.
            var moved = 0
            #expect(CCCryptorUpdate(cryptor, plain, 16, &output, 100, &moved) == kCCParamError)
            #expect(moved == 0)
        }
    }

    @Test("a unit has 16 MiB at most")
    func longestUnit() throws {
        let call = CipherCall(mode: kCCModeXTS, key: TestedCipher.bytes(16), tweak: TestedCipher.bytes(16, from: 90))
        let longest = 1 << 24
        let iv = TestedCipher.bytes(16)
        try call.withCryptor(kCCEncrypt) { cryptor in
            var memory = [UInt8](repeating: 7, count: longest + 1)
            let before = memory
            for length in [longest + 1, 1 << 30, Int.max] {
                memory.withUnsafeMutableBytes { memory in
                    let start = memory.baseAddress
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, start, length, start) == kCCParamError)
                    #expect(CCCryptorDecryptDataBlock(cryptor, iv, start, length, start) == kCCParamError)
                }
            }
            #expect(memory == before)
            memory.withUnsafeMutableBytes { memory in
                let start = memory.baseAddress
                #expect(CCCryptorEncryptDataBlock(cryptor, iv, start, longest, start) == kCCSuccess)
            }
            #expect(memory != before)
            memory.withUnsafeMutableBytes { memory in
                let start = memory.baseAddress
                #expect(CCCryptorDecryptDataBlock(cryptor, iv, start, longest, start) == kCCSuccess)
            }
            #expect(memory == before)
        }
    }

    @Test("a cryptor for both directions turns blocks of ECB and CBC, and does nothing else", arguments: [1, 2])
    func bothDirections(_ mode: Int) throws {
        for cipher in TestedCipher.blockCiphers {
            let call = CipherCall(
                algorithm: cipher.algorithm, mode: mode, key: TestedCipher.bytes(cipher.keyLengths[0]))
            let message = TestedCipher.bytes(3 * cipher.block)
            let expected = try call.encrypt(message)
            try call.withCryptor(kCCBoth) { cryptor in
                var (output, moved) = ([UInt8](repeating: 0, count: message.count), 0)
                // What is no whole block is left.
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, message, message.count + 0, &output) == kCCSuccess)
                #expect(output == expected)
                #expect(CCCryptorDecryptDataBlock(cryptor, nil, expected, expected.count, &output) == kCCSuccess)
                #expect(output == message)
                #expect(CCCryptorEncryptDataBlock(cryptor, message, message, 16, &output) == kCCParamError)
                #expect(CCCryptorUpdate(cryptor, message, 16, &output, 16, &moved) == kCCParamError)
            }
            try call.withCryptor(kCCEncrypt) { cryptor in
                var output = [UInt8](repeating: 0xEE, count: message.count)
                let cut = message.count - 1
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, message, cut, &output) == kCCSuccess)
                #expect(output.prefix(2 * cipher.block) == expected.prefix(2 * cipher.block))
                #expect(output[(2 * cipher.block)...].allSatisfy { $0 == 0xEE })
                #expect(CCCryptorDecryptDataBlock(cryptor, nil, message, cut, &output) == kCCParamError)
            }
        }
    }

    @Test("streaming modes have no units")
    func streaming() throws {
        let message = TestedCipher.bytes(16)
        for mode in TestedCipher.streamingModes + [kCCModeGCM] {
            try CipherCall(mode: mode, key: message).withCryptor(kCCEncrypt) { cryptor in
                var output = message
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, message, 16, &output) == kCCParamError)
                #expect(CCCryptorDecryptDataBlock(cryptor, message, message, 16, &output) == kCCParamError)
            }
        }
    }
}
