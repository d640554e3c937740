import CommonCrypto
import CommonCryptoSPI
import Testing

/// Answers of cryptors to calls that they cannot perform: Apple's status codes, and where Apple's library would read or
/// write beyond the caller's memory, `kCCParamError`.
@Suite struct BadInputCryptorTests {
    private static let key = [UInt8](1...32)
    private static let huge = Int(bitPattern: UInt.max)

    private func created(
        operation: UInt32 = UInt32(kCCEncrypt), mode: Int = kCCModeCBC, algorithm: UInt32 = UInt32(kCCAlgorithmAES),
        padding: UInt32 = UInt32(ccNoPadding), keyLength: Int = 16, tweak: [UInt8]? = nil, tweakLength: Int? = nil
    ) -> CCCryptorStatus {
        // Something that no cryptor is: a failure has to take it away.
        var cryptor = CCCryptorRef(bitPattern: 64)
        let key = GuardedBytes(Self.key)
        let status = CCCryptorCreateWithMode(
            operation, CCMode(mode), algorithm, padding, nil, key.start, keyLength, tweak,
            tweakLength ?? tweak?.count ?? 0, 0,
            0,
            &cryptor)
        if status == kCCSuccess {
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
        } else {
            #expect(cryptor == nil)
        }
        return status
    }

    @Test("no key and no place for the answer are parameter errors") func nullCreation() {
        var cryptor: CCCryptorRef?
        let (encrypt, aes, cbc) = (CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCMode(kCCModeCBC))
        #expect(CCCryptorCreate(encrypt, aes, 0, nil, 16, nil, &cryptor) == kCCParamError)
        #expect(CCCryptorCreate(encrypt, aes, 0, Self.key, 16, nil, nil) == kCCParamError)
        #expect(CCCryptorCreateWithMode(encrypt, cbc, aes, 0, nil, nil, 16, nil, 0, 0, 0, &cryptor) == kCCParamError)
        #expect(CCCryptorCreateWithMode(encrypt, cbc, aes, 0, nil, Self.key, 16, nil, 0, 0, 0, nil) == kCCParamError)
        #expect(CCCrypt(encrypt, aes, 0, nil, 16, nil, nil, 0, nil, 0, nil) == kCCParamError)
        #expect(cryptor == nil)
        // The former value is replaced.
        cryptor = CCCryptorRef(bitPattern: 64)
        #expect(CCCryptorCreate(encrypt, aes, 0, nil, 16, nil, &cryptor) == kCCParamError && cryptor == nil)
    }

    @Test("unknown operations, algorithms and modes are parameter errors; an unknown padding means no padding")
    func unknownNumbers() {
        for operation: UInt32 in [2, 4, 5, 0x8000_0000, .max] {
            #expect(created(operation: operation) == kCCParamError, "operation \(operation)")
        }
        for algorithm: UInt32 in [7, 8, 100, 0x8000_0000, .max] {
            #expect(created(algorithm: algorithm) == kCCParamError, "algorithm \(algorithm)")
        }
        for mode in [0, 5, 6, 13, 100, Int(UInt32.max)] {
            #expect(created(mode: mode) == kCCParamError, "mode \(mode)")
        }
        #expect(created(mode: kCCModeCCM) == kCCUnimplemented)
        for algorithm in [kCCAlgorithmDES, kCCAlgorithm3DES, kCCAlgorithmCAST, kCCAlgorithmRC2, kCCAlgorithmBlowfish] {
            for mode in [kCCModeXTS, kCCModeGCM, kCCModeCCM] {
                #expect(created(mode: mode, algorithm: UInt32(algorithm)) == kCCUnimplemented)
            }
        }
        for padding: UInt32 in [2, 3, 99, .max] {
            #expect(created(padding: padding) == kCCSuccess, "padding \(padding)")
        }
        // RC4 is RC4 whatever the mode.
        #expect(created(mode: 77, algorithm: UInt32(kCCAlgorithmRC4)) == kCCSuccess)
    }

    static let keyLengths: [(Int, [Int])] = [
        (kCCAlgorithmAES, [16, 24, 32]), (kCCAlgorithmDES, [8]), (kCCAlgorithm3DES, [24]),
        (kCCAlgorithmCAST, Array(5...16)), (kCCAlgorithmRC4, Array(1...512)), (kCCAlgorithmRC2, Array(1...128)),
        (kCCAlgorithmBlowfish, Array(8...56)),
    ]

    @Test("each algorithm takes its lengths of key and no other", arguments: keyLengths)
    func keySizes(_ algorithm: Int, _ right: [Int]) {
        let key = GuardedBytes(count: 600)
        for length in Array(0...600) + [Int.max, Int.min, Self.huge] {
            let expected = right.contains(length) ? kCCSuccess : kCCKeySizeError
            var cryptor: CCCryptorRef?
            let (encrypt, number) = (CCOperation(kCCEncrypt), CCAlgorithm(algorithm))
            // The key ends with its memory: a byte too many would be seen.
            let start = length > 0 && length <= 600 ? key.start + (600 - length) : key.start
            #expect(CCCryptorCreate(encrypt, number, 0, start, length, nil, &cryptor) == expected, "\(length) bytes")
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
            guard length % 7 == 0 || expected == kCCSuccess else { continue }
            let status = CCCrypt(encrypt, number, 0, start, length, nil, nil, 0, nil, 0, nil)
            #expect(status == expected, "\(length) bytes")
        }
    }

    @Test("XTS needs two AES keys of the same length") func tweakKeys() {
        #expect(created(mode: kCCModeXTS, tweak: [UInt8](40...55)) == kCCSuccess)
        #expect(created(mode: kCCModeXTS, tweak: nil) == kCCParamError)
        // Its length is that of the first, whatever is said.
        for length in [0, 15, 17, Int.max, Self.huge] {
            #expect(created(mode: kCCModeXTS, tweak: [UInt8](40...55), tweakLength: length) == kCCSuccess)
            #expect(created(mode: kCCModeXTS, tweak: nil, tweakLength: length) == kCCParamError)
        }
        #expect(created(mode: kCCModeXTS, tweak: [UInt8](1...16)) == kCCSuccess)
        #expect(created(mode: kCCModeXTS, keyLength: 24, tweak: [UInt8](40...63)) == kCCSuccess)
        #expect(created(mode: kCCModeXTS, keyLength: 15, tweak: [UInt8](40...55)) == kCCKeySizeError)
    }

    @Test("no cryptor: nothing to update, nothing left to finish or to release") func nullCryptor() {
        let memory = GuardedBytes([1])
        let byte = memory.start
        var moved = 7
        #expect(CCCryptorUpdate(nil, byte, 1, byte, 1, &moved) == kCCParamError)
        #expect(CCCryptorFinal(nil, byte, 1, &moved) == kCCSuccess)
        #expect(CCCryptorRelease(nil) == kCCSuccess)
        #expect(CCCryptorReset(nil, nil) == kCCParamError)
        #expect(CCCryptorReset_binary_compatibility(nil, nil) == kCCParamError)
        #expect(CCCryptorGetOutputLength(nil, 100, true) == kCCParamError)
        #expect(CCCryptorGetIV(nil, byte) == kCCParamError)
        #expect(CCCryptorEncryptDataBlock(nil, nil, byte, 1, byte) == kCCParamError)
        #expect(CCCryptorDecryptDataBlock(nil, nil, byte, 1, byte) == kCCParamError)
        #expect(CCCryptorAddParameter(nil, 0, byte, 1) == kCCParamError)
        #expect(CCCryptorGetParameter(nil, 0, byte, &moved) == kCCParamError)
        #expect(memory.contents(1) == [1])
    }

    @Test("lent memory has to have room, and says how much; what was released from it is gone") func lentMemory() throws
    {
        let (encrypt, aes) = (CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES))
        for offset in 0..<9 {
            let memory = GuardedBytes(count: kCCContextSizeAES128)
            let start = memory.start + offset
            var (cryptor, used) = (CCCryptorRef?.none, 0)
            #expect(
                CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 16, nil, start, 0, &cryptor, &used)
                    == kCCBufferTooSmall)
            let needed = used
            #expect(
                CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 16, nil, start, needed - 1, &cryptor, nil)
                    == kCCBufferTooSmall)
            #expect(cryptor == nil)
            #expect(
                CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 17, nil, start, needed, &cryptor, nil)
                    == kCCKeySizeError)
            #expect(cryptor == nil)
            #expect(
                CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 16, nil, start, needed, &cryptor, &used)
                    == kCCSuccess)
            #expect(used == needed)
            var moved = 0
            #expect(CCCryptorUpdate(cryptor, Self.key, 32, memory.start + 64, 32, &moved) == kCCSuccess && moved == 32)
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
            // The memory is still the caller's: the reference says that nothing is there any more.
            #expect(CCCryptorUpdate(cryptor, Self.key, 32, memory.start + 64, 32, &moved) == kCCParamError)
            #expect(CCCryptorFinal(cryptor, nil, 0, nil) == kCCSuccess)
            #expect(CCCryptorReset(cryptor, nil) == kCCParamError)
            #expect(CCCryptorRelease(cryptor) == kCCSuccess)
        }
        var (cryptor, used) = (CCCryptorRef?.none, 0)
        #expect(CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 16, nil, nil, 404, &cryptor, &used) == kCCParamError)
        let memory = GuardedBytes(count: 404)
        #expect(
            CCCryptorCreateFromData(encrypt, aes, 0, Self.key, 16, nil, memory.start, 404, nil, &used) == kCCParamError)
    }
}
