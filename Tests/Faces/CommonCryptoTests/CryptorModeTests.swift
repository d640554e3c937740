import CommonCrypto
import CommonCryptoSPI
import Testing

/// Every cipher in every mode against the mode's definition over single blocks.
@Suite struct CryptorModeTests {
    @Test("each mode is what its definition makes of single blocks", arguments: TestedCipher.blockCiphers)
    func composition(_ cipher: TestedCipher) throws {
        let iv = TestedCipher.bytes(cipher.block, from: 40)
        for length in cipher.keyLengths {
            let composition = CryptorComposition(cipher: cipher, key: TestedCipher.bytes(length, from: 9))
            for mode in TestedCipher.streamingModes + TestedCipher.blockModes {
                let isStreaming = TestedCipher.streamingModes.contains(mode)
                let message = TestedCipher.bytes(isStreaming ? 2 * cipher.block + 5 : 3 * cipher.block, from: 3)
                let call = CipherCall(algorithm: cipher.algorithm, mode: mode, key: composition.key, iv: iv)
                let expected = try composition.encrypt(mode, message, iv: iv)
                #expect(try call.encrypt(message) == expected, "\(cipher), mode \(mode), key of \(length) bytes")
                #expect(try call.decrypt(expected) == message, "\(cipher), mode \(mode), key of \(length) bytes")
            }
        }
    }

    @Test("no vector is a vector of zeros", arguments: TestedCipher.blockCiphers)
    func noVector(_ cipher: TestedCipher) throws {
        let message = TestedCipher.bytes(2 * cipher.block)
        for mode in TestedCipher.streamingModes + TestedCipher.blockModes {
            var call = CipherCall(
                algorithm: cipher.algorithm, mode: mode, key: TestedCipher.bytes(cipher.keyLengths[0]))
            let expected = try call.encrypt(message)
            call.iv = [UInt8](repeating: 0, count: cipher.block)
            #expect(try call.encrypt(message) == expected, "mode \(mode)")
        }
    }

    @Test("RC4 is RC4 whatever mode, padding and vector are named")
    func rc4() throws {
        let call = CipherCall(algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, key: TestedCipher.bytes(16))
        let message = TestedCipher.bytes(33)
        let expected = try call.encrypt(message)
        #expect(expected != message && expected.count == 33)
        for mode in [0, kCCModeECB, kCCModeCBC, kCCModeCTR, kCCModeGCM, 77] {
            var other = call
            (other.mode, other.padding, other.iv) = (mode, ccPKCS7Padding, [UInt8](repeating: 5, count: 16))
            #expect(try other.encrypt(message) == expected, "mode \(mode)")
        }
        #expect(try call.oneShot(kCCEncrypt, message) == expected)
        #expect(try call.oneShot(kCCDecrypt, expected) == message)
    }

    @Test("rounds, options and the length of a tweak that no mode reads change nothing")
    func ignoredParameters() throws {
        let (key, message) = (TestedCipher.bytes(16), TestedCipher.bytes(32))
        let expected = try CipherCall(mode: kCCModeCTR, key: key).encrypt(message)
        for (rounds, options) in [(Int32(0), 0), (12, kCCModeOptionCTR_BE), (-1, 1), (99, 0xFFFF_FFFF)] {
            var cryptor: CCCryptorRef?
            #expect(
                CCCryptorCreateWithMode(
                    CCOperation(kCCEncrypt), CCMode(kCCModeCTR), CCAlgorithm(kCCAlgorithmAES), 0, nil, key, 16, key,
                    -1, rounds, CCModeOptions(options), &cryptor) == kCCSuccess)
            defer { CCCryptorRelease(cryptor) }
            var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
            #expect(CCCryptorUpdate(cryptor, message, 32, &output, 32, &moved) == kCCSuccess)
            #expect(output == expected)
        }
    }

    @Test(
        "a counter is the last eight bytes of the block: it wraps around, and nothing is carried out of it",
        arguments: [0, 1, 2, 3])
    func counterWraps(_ blocksBefore: Int) throws {
        let cipher = TestedCipher.blockCiphers[0]
        let key = TestedCipher.bytes(16)
        var iv = [UInt8](repeating: 0xFF, count: 16)
        iv.replaceSubrange(0..<8, with: [1, 2, 3, 4, 5, 6, 7, 0xFF])
        iv[15] -= UInt8(blocksBefore)
        let message = TestedCipher.bytes(101)
        let call = CipherCall(mode: kCCModeCTR, key: key, iv: iv)
        let expected = try CryptorComposition(cipher: cipher, key: key).encrypt(kCCModeCTR, message, iv: iv)
        #expect(try call.encrypt(message) == expected)
        #expect(try call.encrypt(message, pieces: [5, 11, 16, 1, 31, 2]) == expected)
        #expect(try call.decrypt(expected, pieces: [16, 16, 16, 16, 16]) == message)
        // A reset to the same counter gives the same again.
        try call.withCryptor(kCCEncrypt) { cryptor in
            var (output, moved) = ([UInt8](repeating: 0, count: 101), 0)
            for _ in 0..<2 {
                #expect(CCCryptorUpdate(cryptor, message, 101, &output, 101, &moved) == kCCSuccess)
                #expect(output == expected)
                #expect(CCCryptorReset(cryptor, iv) == kCCSuccess)
            }
        }
    }

    @Test("the counter of a small block is the whole block")
    func smallCounterWraps() throws {
        let cipher = TestedCipher.blockCiphers[1]
        let key = TestedCipher.bytes(8)
        let iv = [UInt8](repeating: 0xFF, count: 8)
        let message = TestedCipher.bytes(30)
        let expected = try CryptorComposition(cipher: cipher, key: key).encrypt(kCCModeCTR, message, iv: iv)
        let call = CipherCall(algorithm: kCCAlgorithmDES, mode: kCCModeCTR, key: key, iv: iv)
        #expect(try call.encrypt(message, pieces: [3, 8]) == expected)
    }
}
