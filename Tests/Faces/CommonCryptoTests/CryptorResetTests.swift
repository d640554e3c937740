import CommonCrypto
import CommonCryptoSPI
import Testing

/// Messages one after another through the same cryptor, and where its memory is.
@Suite struct CryptorResetTests {
    private static let key = TestedCipher.bytes(24)
    private static let plain = TestedCipher.bytes(16)

    private static func update(_ cryptor: CCCryptorRef?, _ input: [UInt8] = plain) throws -> [UInt8] {
        var (output, moved) = ([UInt8](repeating: 0, count: input.count + 16), 0)
        try #require(CCCryptorUpdate(cryptor, input, input.count, &output, output.count, &moved) == kCCSuccess)
        return Array(output.prefix(moved))
    }

    @Test("CBC and CTR begin again; no vector is a vector of zeros", arguments: [kCCModeCBC, kCCModeCTR])
    func begins(_ mode: Int) throws {
        for cipher in TestedCipher.blockCiphers {
            let zeros = [UInt8](repeating: 0, count: cipher.block)
            let call = CipherCall(
                algorithm: cipher.algorithm, mode: mode, key: TestedCipher.bytes(cipher.keyLengths[0]))
            try call.withCryptor(kCCEncrypt) { cryptor in
                let first = try Self.update(cryptor)
                let second = try Self.update(cryptor)
                #expect(first != second, "what is chained is not the same")
                #expect(CCCryptorReset(cryptor, nil) == kCCSuccess)
                #expect(try Self.update(cryptor) == first)
                #expect(CCCryptorReset(cryptor, zeros) == kCCSuccess)
                #expect(try Self.update(cryptor) == first)
                #expect(try Self.update(cryptor) == second)
                let iv = TestedCipher.bytes(cipher.block, from: 60)
                var other = call
                other.iv = iv
                #expect(CCCryptorReset(cryptor, iv) == kCCSuccess)
                #expect(try Self.update(cryptor) == other.encrypt(Self.plain))
                var moved = 1
                #expect(CCCryptorFinal(cryptor, nil, 0, &moved) == kCCSuccess)
                #expect(moved == 0)
            }
        }
    }

    @Test("what was held is forgotten, in both directions", arguments: [kCCEncrypt, kCCDecrypt])
    func forgets(_ operation: Int) throws {
        let call = CipherCall(padding: ccPKCS7Padding, key: Self.key)
        let input = operation == kCCEncrypt ? Self.plain : try call.encrypt(Self.plain)
        let expected = try call.run(operation, input)
        try call.withCryptor(operation) { cryptor in
            _ = try Self.update(cryptor, Array(TestedCipher.bytes(45)))
            #expect(CCCryptorReset(cryptor, nil) == kCCSuccess)
            #expect(CCCryptorGetOutputLength(cryptor, 16, false) == (operation == kCCEncrypt ? 16 : 0))
            var (last, moved) = ([UInt8](repeating: 0, count: 16), 0)
            let first = try Self.update(cryptor, input)
            #expect(CCCryptorFinal(cryptor, &last, 16, &moved) == kCCSuccess)
            #expect(first + last.prefix(moved) == expected)
        }
    }

    @Test("other modes cannot begin again; only the function for old programs says they did")
    func otherModes() throws {
        for mode in [kCCModeECB, kCCModeCFB, kCCModeCFB8, kCCModeOFB, kCCModeGCM] {
            try CipherCall(mode: mode, key: Self.key).withCryptor(kCCEncrypt) { cryptor in
                #expect(CCCryptorReset(cryptor, nil) == kCCUnimplemented, "mode \(mode)")
                #expect(CCCryptorReset(cryptor, Self.plain) == kCCUnimplemented, "mode \(mode)")
                #expect(CCCryptorReset_binary_compatibility(cryptor, nil) == kCCSuccess, "mode \(mode)")
            }
        }
        try CipherCall(algorithm: kCCAlgorithmRC4, key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            #expect(CCCryptorReset(cryptor, nil) == kCCUnimplemented)
        }
        try CipherCall(key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            let first = try Self.update(cryptor)
            #expect(CCCryptorReset_binary_compatibility(cryptor, nil) == kCCSuccess)
            #expect(try Self.update(cryptor) == first)
        }
    }

    @Test("the vector that CBC chains can be read, and no other mode's", arguments: TestedCipher.blockCiphers)
    func readsVector(_ cipher: TestedCipher) throws {
        var call = CipherCall(
            algorithm: cipher.algorithm, key: TestedCipher.bytes(cipher.keyLengths[0]),
            iv: TestedCipher.bytes(cipher.block))
        let ciphertext = try call.encrypt(TestedCipher.bytes(2 * cipher.block))
        for (operation, input) in [(kCCEncrypt, TestedCipher.bytes(2 * cipher.block)), (kCCDecrypt, ciphertext)] {
            try call.withCryptor(operation) { cryptor in
                var iv = [UInt8](repeating: 0xEE, count: 17)
                #expect(CCCryptorGetIV(cryptor, &iv) == kCCSuccess)
                #expect(Array(iv.prefix(cipher.block)) == call.iv)
                #expect(iv[cipher.block] == 0xEE)
                _ = try Self.update(cryptor, input)
                #expect(CCCryptorGetIV(cryptor, &iv) == kCCSuccess)
                #expect(Array(iv.prefix(cipher.block)) == Array(ciphertext.suffix(cipher.block)))
            }
        }
        for mode in TestedCipher.streamingModes + [kCCModeECB] {
            call.mode = mode
            try call.withCryptor(kCCEncrypt) { cryptor in
                var iv = [UInt8](repeating: 0, count: 16)
                #expect(CCCryptorGetIV(cryptor, &iv) == kCCParamError)
            }
        }
    }

    @Test("a cryptor in the caller's memory works, takes little of it, and stays within", arguments: 0..<16)
    func lentMemory(_ offset: Int) throws {
        var memory = [UInt8](repeating: 0xEE, count: 64)
        let expected = try CipherCall(key: Self.key).encrypt(Self.plain)
        let options = CCOptions(0)
        try memory.withUnsafeMutableBytes { memory in
            let start = try #require(memory.baseAddress)
            let place = start + offset
            // A reference takes two addresses, from the next multiple of eight.
            let skipped = (8 - Int(UInt(bitPattern: place) % 8)) % 8
            let needed = skipped + 16
            var (cryptor, used): (CCCryptorRef?, Int) = (nil, 0)
            func create(_ room: Int) -> CCCryptorStatus {
                CCCryptorCreateFromData(0, 0, options, Self.key, 24, nil, place, room, &cryptor, &used)
            }
            #expect(create(needed - 1) == kCCBufferTooSmall)
            #expect(used == needed && cryptor == nil)
            #expect(create(needed) == kCCSuccess)
            #expect(used == needed)
            let address = UInt(bitPattern: cryptor)
            #expect(address >= UInt(bitPattern: place) && address + 16 <= UInt(bitPattern: place) + UInt(needed))
            #expect(try Self.update(cryptor) == expected)
            #expect(memory[..<offset].allSatisfy { $0 == 0xEE })
            #expect(memory[(offset + needed)...].allSatisfy { $0 == 0xEE })
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
            // The memory says that nothing is there any more.
            var (output, moved) = ([UInt8](repeating: 0, count: 16), 0)
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
            #expect(CCCryptorUpdate(cryptor, Self.plain, 16, &output, 16, &moved) == kCCParamError)
            #expect(CCCryptorFinal(cryptor, &output, 16, &moved) == kCCSuccess)
        }
    }

    @Test("memory for a cryptor: what is wrong with it comes before what is wrong with the key")
    func lentMemoryRefused() {
        var (cryptor, used): (CCCryptorRef?, Int) = (OpaquePointer(bitPattern: 64), 0)
        var memory = [UInt64](repeating: 0, count: 8)
        #expect(CCCryptorCreateFromData(0, 9, 0, nil, 0, nil, nil, 0, &cryptor, &used) == kCCBufferTooSmall)
        #expect(used == 16)
        #expect(CCCryptorCreateFromData(0, 0, 0, Self.key, 24, nil, nil, 64, &cryptor, &used) == kCCParamError)
        #expect(CCCryptorCreateFromData(0, 0, 0, Self.key, 24, nil, &memory, 64, nil, nil) == kCCParamError)
        #expect(CCCryptorCreateFromData(0, 0, 0, Self.key, 23, nil, &memory, 64, &cryptor, nil) == kCCKeySizeError)
        // The reference stays what it was.
        #expect(cryptor == OpaquePointer(bitPattern: 64))
        #expect(
            CCCryptorCreateFromDataWithMode(
                0, CCMode(kCCModeCTR), 0, 0, nil, Self.key, 24, nil, 0, 0, 0, &memory, 64, &cryptor, &used)
                == kCCSuccess)
        #expect(used == 16)
        CCCryptorRelease(cryptor)
    }
}
