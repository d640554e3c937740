import CommonCrypto
import CommonCryptoSPI
import Testing

/// The length of outputs, the room that is asked for, and the failure without it.
@Suite struct CryptorOutputTests {
    private static let key = TestedCipher.bytes(32)

    private static func call(_ cipher: TestedCipher, _ mode: Int, _ padding: Int = ccNoPadding) -> CipherCall {
        CipherCall(
            algorithm: cipher.algorithm, mode: mode, padding: padding,
            key: TestedCipher.bytes(cipher.keyLengths.last ?? 0), iv: TestedCipher.bytes(cipher.block))
    }

    /// Returns the number of bytes held after so many, written apart from the library: as in the original's own tests.
    private static func expectedRoom(
        _ total: Int, _ block: Int, _ operation: Int, _ padding: Int, final: Bool
    ) -> Int {
        let whole = total / block * block
        guard padding == ccPKCS7Padding else { return whole }
        if operation == kCCEncrypt { return final ? whole + block : whole }
        if final { return total }
        return total <= block ? 0 : total % block == 0 ? total - block : whole
    }

    @Test("the room that is asked for depends on what is held", arguments: TestedCipher.blockCiphers)
    func room(_ cipher: TestedCipher) throws {
        let input = TestedCipher.bytes(3 * cipher.block)
        for operation in [kCCEncrypt, kCCDecrypt] {
            for mode in TestedCipher.blockModes {
                for padding in [ccNoPadding, ccPKCS7Padding] {
                    for first in 0...cipher.block {
                        try Self.call(cipher, mode, padding).withCryptor(operation) { cryptor in
                            var (output, moved) = ([UInt8](repeating: 0, count: 3 * cipher.block), 0)
                            #expect(CCCryptorUpdate(cryptor, input, first, &output, output.count, &moved) == kCCSuccess)
                            let held = first - moved
                            for next in 0...3 * cipher.block {
                                for final in [false, true] {
                                    let expected = Self.expectedRoom(
                                        held + next, cipher.block, operation, padding, final: final)
                                    guard CCCryptorGetOutputLength(cryptor, next, final) != expected else { continue }
                                    Issue.record(
                                        "mode \(mode), padding \(padding), held \(held), next \(next), \(final)")
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("streaming modes need as much room as there is input, whatever went before")
    func streamingRoom() throws {
        let input = TestedCipher.bytes(40)
        for cipher in TestedCipher.blockCiphers {
            for mode in TestedCipher.streamingModes {
                try Self.call(cipher, mode, ccPKCS7Padding).withCryptor(kCCEncrypt) { cryptor in
                    var (output, moved) = ([UInt8](repeating: 0, count: 40), 0)
                    for length in [0, 1, 7, 8, 13, 40] {
                        #expect(CCCryptorGetOutputLength(cryptor, length, false) == length)
                        #expect(CCCryptorGetOutputLength(cryptor, length, true) == length)
                        #expect(CCCryptorUpdate(cryptor, input, length, &output, 40, &moved) == kCCSuccess)
                        #expect(moved == length)
                    }
                    #expect(CCCryptorFinal(cryptor, nil, 0, &moved) == kCCSuccess)
                    #expect(moved == 0)
                }
            }
        }
    }

    @Test("without room nothing happens, the room is told, and the call may be repeated", arguments: TestedCipher.all)
    func updateWithoutRoom(_ cipher: TestedCipher) throws {
        let modes =
            cipher.algorithm == kCCAlgorithmRC4
            ? [kCCModeRC4] : TestedCipher.streamingModes + TestedCipher.blockModes
        let message = TestedCipher.bytes(5 * cipher.block + (cipher.block > 1 ? 0 : 7))
        for mode in modes {
            let call = Self.call(cipher, mode)
            let expected = try call.encrypt(message)
            try call.withCryptor(kCCEncrypt) { cryptor in
                var (output, moved) = ([UInt8](repeating: 0xEE, count: message.count), -1)
                for room in [0, 1, message.count - 1] {
                    #expect(
                        CCCryptorUpdate(cryptor, message, message.count, &output, room, &moved) == kCCBufferTooSmall)
                    #expect(moved == message.count)
                    #expect(output.allSatisfy { $0 == 0xEE })
                }
                #expect(
                    CCCryptorUpdate(cryptor, message, message.count, &output, message.count, &moved) == kCCSuccess)
                #expect(output == expected && moved == message.count, "mode \(mode)")
            }
        }
    }

    @Test("finishing without room changes nothing and may be repeated", arguments: TestedCipher.blockCiphers)
    func finalWithoutRoom(_ cipher: TestedCipher) throws {
        let message = TestedCipher.bytes(2 * cipher.block + 3)
        for mode in TestedCipher.blockModes {
            let call = Self.call(cipher, mode, ccPKCS7Padding)
            let ciphertext = try call.encrypt(message)
            for (operation, input, expected) in [
                (kCCEncrypt, message, ciphertext), (kCCDecrypt, ciphertext, message),
            ] {
                try call.withCryptor(operation) { cryptor in
                    var (output, moved) = ([UInt8](repeating: 0, count: ciphertext.count), 0)
                    #expect(CCCryptorUpdate(cryptor, input, input.count, &output, output.count, &moved) == kCCSuccess)
                    let first = moved
                    let last = expected.count - first
                    var rest = [UInt8](repeating: 0xEE, count: cipher.block)
                    for room in 0..<last {
                        #expect(CCCryptorFinal(cryptor, &rest, room, &moved) == kCCBufferTooSmall)
                        #expect(moved == 0)
                        #expect(rest.allSatisfy { $0 == 0xEE })
                    }
                    #expect(CCCryptorFinal(cryptor, &rest, last, &moved) == kCCSuccess)
                    #expect(moved == last)
                    #expect(Array(output[..<first] + rest[..<moved]) == expected, "mode \(mode)")
                    #expect(rest[last...].allSatisfy { $0 == 0xEE })
                }
            }
        }
    }

    @Test("one call asks for the room that the whole message needs", arguments: TestedCipher.all)
    func oneShotRoom(_ cipher: TestedCipher) throws {
        let key = TestedCipher.bytes(cipher.keyLengths[0])
        let input = TestedCipher.bytes(50)
        var output = [UInt8](repeating: 0xEE, count: 80)
        for operation in [kCCEncrypt, kCCDecrypt] {
            for padding in [ccNoPadding, ccPKCS7Padding] {
                for length in 0...50 {
                    var moved = -1
                    func crypt(_ room: Int) -> CCCryptorStatus {
                        CCCrypt(
                            CCOperation(operation), CCAlgorithm(cipher.algorithm), CCOptions(padding), key, key.count,
                            nil, input, length, &output, room, &moved)
                    }
                    let needed =
                        cipher.block == 1
                        ? length : Self.expectedRoom(length, cipher.block, operation, padding, final: true)
                    if needed > 0 {
                        #expect(crypt(needed - 1) == kCCBufferTooSmall)
                        #expect(moved == needed)
                        #expect(output.allSatisfy { $0 == 0xEE })
                    }
                    let status = crypt(needed)
                    let isWhole = length % cipher.block == 0
                    let isPaddedEncryption = operation == kCCEncrypt && padding == ccPKCS7Padding
                    #expect(status == (isWhole || isPaddedEncryption ? kCCSuccess : kCCAlignmentError))
                    #expect(moved <= needed)
                    #expect(output[needed...].allSatisfy { $0 == 0xEE })
                    output = [UInt8](repeating: 0xEE, count: 80)
                }
            }
        }
    }

    @Test("a null pointer where bytes should be is a wrong parameter; where none are needed it is accepted")
    func nullBuffers() throws {
        let input = TestedCipher.bytes(32)
        try CipherCall(key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            var (output, moved) = ([UInt8](repeating: 0, count: 32), -1)
            #expect(CCCryptorUpdate(cryptor, nil, 16, &output, 32, &moved) == kCCParamError)
            #expect(moved == 0)
            #expect(CCCryptorUpdate(cryptor, input, 16, nil, 32, &moved) == kCCParamError)
            #expect(CCCryptorUpdate(cryptor, nil, 0, nil, 0, &moved) == kCCSuccess)
            // Five bytes fill no block: nothing comes out.
            #expect(CCCryptorUpdate(cryptor, input, 5, nil, 0, &moved) == kCCSuccess)
            #expect(moved == 0)
            #expect(CCCryptorUpdate(cryptor, input, 11, &output, 16, nil) == kCCSuccess)
            #expect(output.prefix(16) != ArraySlice(input.prefix(16)))
            #expect(CCCryptorFinal(cryptor, nil, 0, nil) == kCCSuccess)
        }
        try CipherCall(mode: kCCModeCTR, key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            var (output, moved) = ([UInt8](repeating: 0, count: 32), -1)
            #expect(CCCryptorUpdate(cryptor, nil, 16, &output, 32, &moved) == kCCParamError)
            #expect(CCCryptorUpdate(cryptor, input, 16, nil, 32, &moved) == kCCParamError)
        }
        var (output, moved) = ([UInt8](repeating: 0, count: 32), -1)
        func crypt(_ options: Int, _ input: UnsafeRawPointer?, _ length: Int, _ output: UnsafeMutableRawPointer?)
            -> Int32
        {
            CCCrypt(0, 0, CCOptions(options), Self.key, 32, nil, input, length, output, 32, &moved)
        }
        #expect(crypt(0, nil, 16, &output) == kCCParamError)
        #expect(crypt(0, input, 16, nil) == kCCParamError)
        #expect(moved == 0)
        #expect(crypt(kCCOptionPKCS7Padding, nil, 0, &output) == kCCSuccess)
        #expect(moved == 16)
        #expect(crypt(0, nil, 0, nil) == kCCSuccess)
        #expect(moved == 0)
    }

    @Test("lengths that no memory has are refused", arguments: [Int.max, -1, Int.min, Int.max - 15])
    func hugeLengths(_ length: Int) throws {
        let input = TestedCipher.bytes(16)
        var (output, moved) = ([UInt8](repeating: 0xEE, count: 16), 0)
        for mode in [kCCModeCBC, kCCModeCTR] {
            for padding in [ccNoPadding, ccPKCS7Padding] {
                for operation in [kCCEncrypt, kCCDecrypt] {
                    try CipherCall(mode: mode, padding: padding, key: Self.key).withCryptor(operation) { cryptor in
                        #expect(CCCryptorUpdate(cryptor, input, 5, &output, 16, &moved) == kCCSuccess)
                        let before = output
                        for room in [16, -1] {
                            let status = CCCryptorUpdate(cryptor, input, length, &output, room, &moved)
                            #expect(status == kCCBufferTooSmall || status == kCCParamError)
                        }
                        #expect(output == before)
                    }
                    let status = CCCrypt(
                        CCOperation(operation), 0, CCOptions(padding), Self.key, 32, nil, input, length, &output, -1,
                        nil)
                    #expect(status == kCCParamError)
                }
            }
        }
    }
}
