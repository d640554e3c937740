import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// The end of a message.
@Suite struct CryptorPaddingTests {
    @Test("messages that are not whole blocks do not end, and what was whole is given out", arguments: [0, 1])
    func alignment(_ operation: Int) throws {
        for cipher in TestedCipher.blockCiphers {
            for length in 0..<3 * cipher.block {
                let input = TestedCipher.bytes(length)
                let call = CipherCall(algorithm: cipher.algorithm, key: TestedCipher.bytes(cipher.keyLengths[0]))
                let whole = length / cipher.block * cipher.block
                let expected: CCCryptorStatus = CCCryptorStatus(whole == length ? kCCSuccess : kCCAlignmentError)
                try call.withCryptor(operation) { cryptor in
                    var (output, moved) = ([UInt8](repeating: 0, count: 64), 0)
                    #expect(CCCryptorUpdate(cryptor, input, length, &output, 64, &moved) == kCCSuccess)
                    #expect(moved == whole)
                    #expect(CCCryptorFinal(cryptor, &output, 64, &moved) == expected)
                    #expect(moved == 0)
                }
                var (output, moved) = ([UInt8](repeating: 0, count: 64), 0)
                let status = CCCrypt(
                    CCOperation(operation), CCAlgorithm(cipher.algorithm), 0, call.key, call.key.count, nil, input,
                    length, &output, 64, &moved)
                #expect(status == expected && moved == whole, "\(cipher), \(length) bytes")
            }
        }
    }

    @Test(
        "of a padding the last byte counts; an impossible one means no padding, without an error", arguments: [16, 8])
    func paddingBytes(_ block: Int) throws {
        let algorithm = block == 16 ? kCCAlgorithmAES : kCCAlgorithm3DES
        for mode in TestedCipher.blockModes {
            let plain = CipherCall(algorithm: algorithm, mode: mode, key: TestedCipher.bytes(24))
            var padded = plain
            padded.padding = ccPKCS7Padding
            for last in 0...255 {
                var message = TestedCipher.bytes(2 * block)
                message[2 * block - 1] = UInt8(last)
                let ciphertext = try plain.encrypt(message)
                let expected = Array(message.dropLast(last <= block ? last : 0))
                #expect(try padded.decrypt(ciphertext) == expected, "last byte \(last)")
                #expect(try padded.oneShot(kCCDecrypt, ciphertext) == expected, "last byte \(last)")
            }
        }
    }

    @Test("a padded message that was cut inside a block is misaligned; one that is empty decrypts to nothing")
    func truncation() throws {
        let key = TestedCipher.bytes(16)
        let call = CipherCall(padding: ccPKCS7Padding, key: key)
        let ciphertext = try call.encrypt(TestedCipher.bytes(40))
        for length in 0..<48 {
            let cut = Array(ciphertext.prefix(length))
            guard length % 16 == 0 else {
                #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCAlignmentError))) {
                    try call.decrypt(cut)
                }
                var (output, moved) = ([UInt8](repeating: 0, count: 48), 0)
                let options = CCOptions(kCCOptionPKCS7Padding)
                #expect(
                    CCCrypt(1, 0, options, key, 16, nil, cut, length, &output, 48, &moved) == kCCAlignmentError)
                #expect(moved == length / 16 * 16)
                continue
            }
            let given = try call.decrypt(cut)
            #expect(given.starts(with: TestedCipher.bytes(40).prefix(max(length - 16, 0))))
            #expect(try call.oneShot(kCCDecrypt, cut) == given)
            if length == 0 { #expect(given.isEmpty) }
        }
    }

    @Test("a cryptor that has finished goes on as if nothing had been: the chain stays")
    func afterFinal() throws {
        let message = TestedCipher.bytes(20)
        let call = CipherCall(padding: ccPKCS7Padding, key: TestedCipher.bytes(16))
        let first = try call.encrypt(message)
        var second = call
        second.iv = Array(first.suffix(16))
        let expected = try second.encrypt(message)
        try call.withCryptor(kCCEncrypt) { cryptor in
            for expected in [first, expected] {
                var (output, last, moved) = ([UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 16), 0)
                #expect(CCCryptorUpdate(cryptor, message, 20, &output, 16, &moved) == kCCSuccess)
                #expect(CCCryptorFinal(cryptor, &last, 16, &moved) == kCCSuccess)
                #expect(output + last == expected)
            }
        }
    }

    /// Of Apple's own tests; the lengths are 64, 63 and 58 bytes.
    static let stolen = [
        "e22abba9d2a201b18dc2f57e04aba21a16e0ed6358164c59ca64d204f33247ee04b1c432a7a71395"
            + "b36d820e2c3de4ee2dc88b70f6ae0243d2dbcd6822a10586",
        "e22abba9d2a201b18dc2f57e04aba21a16e0ed6358164c59ca64d204f33247ee950b657666073991"
            + "6d058623d688e27e2dc88b70f6ae0243d2dbcd6822a105",
        "e22abba9d2a201b18dc2f57e04aba21a16e0ed6358164c59ca64d204f33247ee751002ef7a0f9d91"
            + "5d15346571eee7aa2dc88b70f6ae0243d2db",
    ]

    @Test("ciphertext stealing gives the known answers, both ways", arguments: stolen)
    func stealing(_ expected: String) throws {
        let ciphertext = try #require(Hex(expected)).bytes
        let call = CipherCall(
            padding: ccCBCCTS3, key: try #require(Hex("636869636b656e207465726979616b69")).bytes,
            iv: try #require(Hex("0f0e0d0c0b0a09080706050403020100")).bytes)
        let message = [UInt8](repeating: 10, count: ciphertext.count)
        #expect(try call.encrypt(message) == ciphertext)
        #expect(try call.decrypt(ciphertext) == message)
        #expect(try call.decrypt(ciphertext, pieces: [1, 30, 2, 16]) == message)
    }

    @Test("stealing is the swapped end of CBC over zeros, for every cipher and length")
    func stealingComposed() throws {
        for cipher in TestedCipher.blockCiphers {
            let key = TestedCipher.bytes(cipher.keyLengths[0])
            let iv = TestedCipher.bytes(cipher.block, from: 5)
            let call = CipherCall(algorithm: cipher.algorithm, padding: ccCBCCTS3, key: key, iv: iv)
            for length in (cipher.block + 1)...(4 * cipher.block) {
                let message = TestedCipher.bytes(length)
                let zeros = [UInt8](repeating: 0, count: (cipher.block - length % cipher.block) % cipher.block)
                var blocks = try CipherCall(algorithm: cipher.algorithm, key: key, iv: iv).encrypt(message + zeros)
                    .blocks(cipher.block)
                blocks.swapAt(blocks.count - 2, blocks.count - 1)
                let expected = Array(blocks.joined().prefix(length))
                #expect(try call.encrypt(message) == expected, "\(cipher), \(length) bytes")
                #expect(try call.decrypt(expected) == message, "\(cipher), \(length) bytes")
            }
        }
    }

    @Test("there is nothing to steal from one block, and none but CBC is stolen from")
    func stealingRefused() throws {
        let call = CipherCall(padding: ccCBCCTS3, key: TestedCipher.bytes(16))
        for length in 1...16 {
            #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCAlignmentError))) {
                try call.encrypt(TestedCipher.bytes(length))
            }
        }
        #expect(try call.encrypt([]) == [])
        var other = call
        other.mode = kCCModeECB
        #expect(throws: CipherCall.Refusal(status: CCCryptorStatus(kCCParamError))) { try other.encrypt([]) }
    }
}
