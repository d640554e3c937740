import CommonCrypto
import CommonCryptoSPI
import Foundation
import Glibc
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

    /// IEEE 1619, annex B, vector 1, whose two keys are zeros.
    @Test("XTS takes two keys that are the same, as the standard's first vector has them")
    func equalKeys() throws {
        let zeros = [UInt8](repeating: 0, count: 16)
        let call = CipherCall(mode: kCCModeXTS, key: zeros, tweak: zeros)
        let secret = try #require(Hex("917cf69ebd68b2ec9b9fe9a3eadda692cd43d2f59598ed858c02c2652fbf922e")).bytes
        #expect(try DataUnit.encrypt(zeros + zeros, call, tweak: zeros) == secret)
        #expect(try DataUnit.decrypt(secret, call, tweak: zeros) == zeros + zeros)
    }

    @Test("units under such keys have every length, and may lie over each other", arguments: [16, 24, 32])
    func unusualKeys(keyByteCount: Int) throws {
        let key = TestedCipher.bytes(keyByteCount)
        let tweaks = [key] + (keyByteCount == 24 ? [TestedCipher.bytes(24, from: 90)] : [])
        let (iv, plain) = (TestedCipher.bytes(16), TestedCipher.bytes(1100))
        for tweak in tweaks {
            let call = CipherCall(mode: kCCModeXTS, key: key, tweak: tweak)
            try call.withCryptor(kCCEncrypt) { cryptor in
                for length in Array(16...50) + [1023, 1024, 1025, 1040, 1041, 1100] {
                    var apart = [UInt8](repeating: 0, count: 1100)
                    #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, length, &apart) == kCCSuccess)
                    #expect(apart[length...].allSatisfy { $0 == 0 })
                    var memory = [UInt8](repeating: 0, count: 3) + plain
                    memory.withUnsafeMutableBytes { memory in
                        guard let start = memory.baseAddress else { return }
                        #expect(CCCryptorEncryptDataBlock(cryptor, iv, start + 3, length, start) == kCCSuccess)
                    }
                    #expect(memory.prefix(length) == apart.prefix(length))
                    memory.withUnsafeMutableBytes { memory in
                        let start = memory.baseAddress
                        #expect(CCCryptorDecryptDataBlock(cryptor, iv, start, length, start) == kCCSuccess)
                    }
                    #expect(memory.prefix(length) == plain.prefix(length))
                }
                var (output, moved) = (plain, 0)
                #expect(CCCryptorEncryptDataBlock(cryptor, iv, plain, 15, &output) == kCCParamError)
                #expect(CCCryptorUpdate(cryptor, plain, 16, &output, 100, &moved) == kCCParamError)
                #expect(output == plain)
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
                // An incomplete block is left.
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
            }
        }
    }

    @Test("an AES cryptor that was used in both directions has no copy of the key left", arguments: [1, 2])
    func keyAfterBothDirections(_ mode: Int) throws {
        let call = CipherCall(mode: mode, key: TestedCipher.bytes(32, from: 9))
        let message = TestedCipher.bytes(32)
        // The Glibc module does not have it.
        let symbol = try #require(dlsym(nil, "malloc_usable_size"))
        let byteCount = unsafeBitCast(symbol, to: (@convention(c) (UnsafeMutableRawPointer) -> Int).self)
        for operation in [kCCEncrypt, kCCDecrypt] {
            try call.withCryptor(operation) { cryptor in
                var output = message
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, message, message.count, &output) == kCCSuccess)
                #expect(CCCryptorDecryptDataBlock(cryptor, nil, message, message.count, &output) == kCCSuccess)
                let start = UnsafeMutableRawPointer(cryptor)
                let memory = UnsafeRawBufferPointer(start: start, count: byteCount(start))
                #expect(Data(memory).range(of: Data(call.key)) == nil)
            }
        }
    }

    @Test("a cryptor for one direction turns blocks of ECB and CBC in both, each from its own IV", arguments: [1, 2])
    func otherDirection(_ mode: Int) throws {
        for cipher in TestedCipher.blockCiphers {
            let call = CipherCall(
                algorithm: cipher.algorithm, mode: mode, key: TestedCipher.bytes(cipher.keyLengths[0]),
                iv: TestedCipher.bytes(cipher.block, from: 77))
            let message = TestedCipher.bytes(3 * cipher.block)
            let secret = try call.encrypt(message)
            for operation in [kCCEncrypt, kCCDecrypt] {
                try call.withCryptor(operation) { cryptor in
                    var output = [UInt8](repeating: 0, count: message.count)
                    // In pieces, in turns: each direction chains its own blocks.
                    for offset in stride(from: 0, to: message.count, by: cipher.block) {
                        let (plain, sealed) = (Array(message[offset...]), Array(secret[offset...]))
                        #expect(
                            CCCryptorEncryptDataBlock(cryptor, nil, plain, cipher.block, &output) == kCCSuccess)
                        #expect(output.prefix(cipher.block) == sealed.prefix(cipher.block), "\(cipher)")
                        #expect(
                            CCCryptorDecryptDataBlock(cryptor, nil, sealed, cipher.block, &output) == kCCSuccess)
                        #expect(output.prefix(cipher.block) == plain.prefix(cipher.block), "\(cipher)")
                    }
                }
            }
        }
    }

    @Test("a reset, and a last block without room, leave the other direction as it is")
    func otherDirectionStays() throws {
        let iv = TestedCipher.bytes(16, from: 77)
        let call = CipherCall(padding: ccPKCS7Padding, key: TestedCipher.bytes(16), iv: iv)
        let plain = TestedCipher.bytes(32)
        let whole = CipherCall(key: TestedCipher.bytes(16), iv: iv)
        let secret = try whole.encrypt(plain)
        try call.withCryptor(kCCDecrypt) { cryptor in
            var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
            #expect(CCCryptorEncryptDataBlock(cryptor, nil, plain, 16, &output) == kCCSuccess)
            let padded = try call.encrypt([])
            #expect(CCCryptorReset(cryptor, iv) == kCCSuccess)
            #expect(CCCryptorUpdate(cryptor, padded, 16, &output, 32, &moved) == kCCSuccess)
            #expect(CCCryptorFinal(cryptor, nil, 0, &moved) == kCCSuccess)
            #expect(CCCryptorEncryptDataBlock(cryptor, nil, Array(plain[16...]), 16, &output) == kCCSuccess)
            #expect(output.prefix(16) == secret[16...])
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
