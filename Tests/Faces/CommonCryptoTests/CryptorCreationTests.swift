import CommonCrypto
import CommonCryptoSPI
import Testing

/// Cryptors that are made, and refusals with their codes.
@Suite struct CryptorCreationTests {
    private static func create(
        _ operation: Int = kCCEncrypt, mode: Int = kCCModeCBC, algorithm: Int = kCCAlgorithmAES,
        padding: Int = ccNoPadding, keyLength: Int = 16, tweakLength: Int? = nil
    ) -> CCCryptorStatus {
        let key = [UInt8](repeating: 1, count: min(max(keyLength, 0), 1000))
        let tweak = [UInt8](repeating: 2, count: max(tweakLength ?? 0, 0))
        var cryptor: CCCryptorRef? = OpaquePointer(bitPattern: 64)
        let status = CCCryptorCreateWithMode(
            CCOperation(operation), CCMode(mode), CCAlgorithm(algorithm), CCPadding(padding), nil, key, keyLength,
            tweakLength == nil ? nil : tweak, tweakLength ?? 0, 0, 0, &cryptor)
        #expect((status == kCCSuccess) == (cryptor != nil), "a failure leaves no reference")
        if status == kCCSuccess { CCCryptorRelease(cryptor) }
        return status
    }

    @Test("numbers of no operation, cipher or mode are wrong parameters, before the key is looked at")
    func unknownNumbers() {
        for operation in [2, 4, 0xFFFF_FFFF] {
            #expect(Self.create(operation, keyLength: 1) == kCCParamError, "operation \(operation)")
        }
        for algorithm in [7, 100, 0xFFFF_FFFF] {
            #expect(Self.create(algorithm: algorithm, keyLength: 1) == kCCParamError, "algorithm \(algorithm)")
        }
        for mode in [0, 5, 6, kCCModeRC4, 13, 0xFFFF_FFFF] {
            #expect(Self.create(mode: mode, keyLength: 1) == kCCParamError, "mode \(mode)")
        }
    }

    @Test("modes that a cipher does not have are unimplemented, before the key is looked at")
    func missingModes() {
        for cipher in TestedCipher.blockCiphers where cipher.algorithm != kCCAlgorithmAES {
            for mode in [kCCModeXTS, kCCModeGCM, kCCModeCCM] {
                let status = Self.create(mode: mode, algorithm: cipher.algorithm, keyLength: 0)
                #expect(status == kCCUnimplemented, "\(cipher), mode \(mode)")
            }
        }
        #expect(Self.create(mode: kCCModeCCM) == kCCUnimplemented)
    }

    @Test("each cipher takes keys of its lengths and no others", arguments: TestedCipher.all)
    func keyLengths(_ cipher: TestedCipher) {
        let taken: Set<Int> =
            switch cipher.algorithm {
            case kCCAlgorithmAES: [16, 24, 32]
            case kCCAlgorithmDES: [8]
            case kCCAlgorithm3DES: [24]
            case kCCAlgorithmCAST: Set(5...16)
            case kCCAlgorithmRC4: Set(1...512)
            case kCCAlgorithmRC2: Set(1...128)
            default: Set(8...56)
            }
        for length in 0...600 {
            let status = Self.create(algorithm: cipher.algorithm, keyLength: length)
            #expect(status == (taken.contains(length) ? kCCSuccess : kCCKeySizeError), "\(length) bytes")
        }
        for length in [-1, Int.max, Int.min] {
            #expect(Self.create(algorithm: cipher.algorithm, keyLength: length) == kCCKeySizeError)
        }
    }

    @Test("every cipher is made in every mode that it has, in both directions", arguments: TestedCipher.blockCiphers)
    func everyMode(_ cipher: TestedCipher) {
        for operation in [kCCEncrypt, kCCDecrypt] {
            for mode in TestedCipher.streamingModes + TestedCipher.blockModes {
                for padding in [ccNoPadding, ccPKCS7Padding, 2, 11] {
                    let status = Self.create(
                        operation, mode: mode, algorithm: cipher.algorithm, padding: padding,
                        keyLength: cipher.keyLengths[0])
                    #expect(status == kCCSuccess, "mode \(mode), padding \(padding)")
                }
            }
        }
    }

    @Test("null pointers for the key or the reference are wrong parameters")
    func nullPointers() {
        let key = [UInt8](repeating: 1, count: 16)
        // No caller takes what stood there before for a cryptor.
        var reference: CCCryptorRef? = OpaquePointer(bitPattern: 64)
        #expect(CCCryptorCreate(0, 0, 0, nil, 16, nil, &reference) == kCCParamError)
        #expect(reference == nil)
        #expect(CCCryptorCreate(0, 0, 0, key, 16, nil, nil) == kCCParamError)
        #expect(CCCryptorCreate(0, 99, 0, nil, 16, nil, nil) == kCCParamError)
    }

    @Test("no reference: nothing to release or to finish, and a wrong parameter elsewhere")
    func noReference() {
        var moved = 7
        #expect(CCCryptorRelease(nil) == kCCSuccess)
        #expect(CCCryptorFinal(nil, nil, 0, &moved) == kCCSuccess)
        #expect(moved == 7)
        #expect(CCCryptorUpdate(nil, nil, 0, nil, 0, &moved) == kCCParamError)
        #expect(moved == 7)
        #expect(CCCryptorReset(nil, nil) == kCCParamError)
        #expect(CCCryptorReset_binary_compatibility(nil, nil) == kCCParamError)
        #expect(CCCryptorGetOutputLength(nil, 16, true) == kCCParamError)
        #expect(CCCryptorGetIV(nil, nil) == kCCParamError)
        #expect(CCCryptorEncryptDataBlock(nil, nil, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorDecryptDataBlock(nil, nil, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorAddParameter(nil, 0, nil, 0) == kCCParamError)
        #expect(CCCryptorGetParameter(nil, 0, nil, nil) == kCCParamError)
    }

    @Test("the second key of XTS has to be there, and may be the first; its length is that of the first")
    func tweak() {
        #expect(Self.create(mode: kCCModeXTS) == kCCParamError)
        #expect(Self.create(mode: kCCModeXTS, tweakLength: 16) == kCCSuccess)
        #expect(Self.create(mode: kCCModeXTS, keyLength: 32, tweakLength: 32) == kCCSuccess)
        #expect(Self.create(mode: kCCModeXTS, keyLength: 17, tweakLength: 32) == kCCKeySizeError)
        let same = TestedCipher.bytes(16)
        var cryptor: CCCryptorRef?
        #expect(
            CCCryptorCreateWithMode(0, CCMode(kCCModeXTS), 0, 0, nil, same, 16, same, 16, 0, 0, &cryptor)
                == kCCSuccess)
        CCCryptorRelease(cryptor)
        #expect(Self.create(mode: kCCModeXTS, keyLength: 24, tweakLength: 24) == kCCSuccess)
    }

    @Test("both directions at once are for the modes of disks")
    func bothDirections() {
        #expect(Self.create(kCCBoth, mode: kCCModeECB) == kCCSuccess)
        #expect(Self.create(kCCBoth, mode: kCCModeCBC) == kCCSuccess)
        #expect(Self.create(kCCBoth, mode: kCCModeXTS, tweakLength: 16) == kCCSuccess)
        for mode in TestedCipher.streamingModes + [kCCModeGCM] {
            #expect(Self.create(kCCBoth, mode: mode) == kCCParamError, "mode \(mode)")
        }
        #expect(Self.create(kCCBoth, algorithm: kCCAlgorithmRC4) == kCCParamError)
    }

    @Test("one message in one call is checked alike, and says how much came out only if something was tried")
    func oneShot() {
        let key = [UInt8](repeating: 1, count: 16)
        var (output, moved) = ([UInt8](repeating: 0, count: 32), 77)
        func crypt(_ operation: Int, _ algorithm: Int, _ key: [UInt8]?, _ keyLength: Int) -> CCCryptorStatus {
            key.withOptionalBytes {
                CCCrypt(
                    CCOperation(operation), CCAlgorithm(algorithm), 0, $0, keyLength, nil, output, 16, &output, 32,
                    &moved)
            }
        }
        #expect(crypt(kCCEncrypt, kCCAlgorithmAES, nil, 16) == kCCParamError)
        #expect(crypt(2, kCCAlgorithmAES, key, 3) == kCCParamError)
        #expect(crypt(kCCBoth, kCCAlgorithmAES, key, 16) == kCCParamError)
        #expect(crypt(kCCEncrypt, 7, key, 3) == kCCParamError)
        #expect(crypt(kCCEncrypt, kCCAlgorithmAES, key, 15) == kCCKeySizeError)
        #expect(crypt(kCCEncrypt, kCCAlgorithmAES, key, -16) == kCCKeySizeError)
        #expect(moved == 77)
        #expect(crypt(kCCEncrypt, kCCAlgorithmAES, key, 16) == kCCSuccess)
        #expect(moved == 16)
    }
}

extension [UInt8]? {
    func withOptionalBytes<Value>(_ body: (UnsafeRawPointer?) -> Value) -> Value {
        guard let self else { return body(nil) }
        return self.withUnsafeBytes { body($0.baseAddress) }
    }
}
