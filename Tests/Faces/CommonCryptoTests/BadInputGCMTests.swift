import CommonCrypto
import CommonCryptoSPI
import Testing

/// Answers of the authenticated calls and the ciphers of disks to calls that they cannot perform.
@Suite struct BadInputGCMTests {
    private static let huge = Int(bitPattern: UInt.max)
    private static let aes = CCAlgorithm(kCCAlgorithmAES)
    private static let key = [UInt8](1...32)
    private static let iv = [UInt8](60...71)

    private static let call = GCMCall(key: key, iv: iv, associated: [7, 8, 9])

    @Test("steps in another order, null pointers and other modes are refused, and the message goes on") func steps()
        throws
    {
        let message = [UInt8](0..<50)
        let sealed = try Self.call.sealInSteps(message)
        let unspecified = CCCryptorStatus(kCCUnspecifiedError)
        try CipherCall(mode: kCCModeGCM, key: Self.key).withCryptor(kCCEncrypt) { cryptor in
            let (output, tag) = (GuardedBytes(count: 50), GuardedBytes(count: 16))
            var length = 16
            #expect(CCCryptorGCMAddAAD(cryptor, Self.iv, 3) == unspecified)
            #expect(CCCryptorGCMEncrypt(cryptor, message, 50, output.start) == unspecified)
            #expect(CCCryptorGCMFinal(cryptor, tag.start, &length) == unspecified)
            #expect(CCCryptorGCMFinalize(cryptor, tag.start, 16) == unspecified)
            for ivLength in [0, 1, 11, Self.huge] {
                #expect(CCCryptorGCMSetIV(cryptor, Self.iv, ivLength) == kCCParamError, "\(ivLength) bytes")
            }
            #expect(CCCryptorGCMSetIV(cryptor, nil, 12) == kCCParamError)
            #expect(CCCryptorGCMAddIV(cryptor, nil, 12) == kCCParamError)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCSuccess)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == unspecified)
            #expect(CCCryptorGCMAddAAD(cryptor, nil, 3) == kCCParamError)
            #expect(CCCryptorGCMAddAAD(cryptor, Self.iv, Self.huge) == kCCParamError)
            #expect(CCCryptorGCMAddAAD(cryptor, nil, 0) == kCCSuccess)
            #expect(CCCryptorGCMaddAAD(cryptor, [7, 8] as [UInt8], 2) == kCCSuccess)
            #expect(CCCryptorGCMAddADD(cryptor, [9] as [UInt8], 1) == kCCSuccess)
            #expect(CCCryptorGCMEncrypt(cryptor, nil, 5, output.start) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, message, 5, nil) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, message, Self.huge, output.start) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, message, 50, output.start) == kCCSuccess)
            #expect(CCCryptorGCMAddAAD(cryptor, Self.iv, 3) == unspecified)
            #expect(CCCryptorGCMFinal(cryptor, nil, &length) == kCCParamError)
            #expect(CCCryptorGCMFinal(cryptor, tag.start, nil) == kCCParamError)
            for tagLength in [0, 7, 17, Self.huge] {
                #expect(CCCryptorGCMFinalize(cryptor, tag.start, tagLength) == kCCParamError)
            }
            #expect(CCCryptorGCMFinalize(cryptor, nil, 16) == kCCParamError)
            #expect(CCCryptorGCMFinalize(cryptor, tag.start, 16) == kCCSuccess)
            #expect(output.contents(50) == sealed.ciphertext && tag.contents(16) == sealed.tag)
            // The message has ended.
            #expect(CCCryptorGCMEncrypt(cryptor, message, 50, output.start) == unspecified)
            #expect(CCCryptorGCMFinalize(cryptor, tag.start, 16) == unspecified)
            #expect(CCCryptorGCMReset(cryptor) == kCCSuccess)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCSuccess)
        }
    }

    @Test("no cryptor, and a cryptor of another mode, is a parameter error") func otherModes() throws {
        func expectRefusals(_ cryptor: CCCryptorRef?) {
            let memory = GuardedBytes(count: 16)
            let byte = memory.start
            var length = 16
            #expect(CCCryptorGCMAddIV(cryptor, Self.iv, 12) == kCCParamError)
            #expect(CCCryptorGCMSetIV(cryptor, Self.iv, 12) == kCCParamError)
            #expect(CCCryptorGCMAddAAD(cryptor, Self.iv, 1) == kCCParamError)
            #expect(CCCryptorGCMEncrypt(cryptor, Self.iv, 1, byte) == kCCParamError)
            #expect(CCCryptorGCMDecrypt(cryptor, Self.iv, 1, byte) == kCCParamError)
            #expect(CCCryptorGCMFinal(cryptor, byte, &length) == kCCParamError)
            #expect(CCCryptorGCMFinalize(cryptor, byte, 16) == kCCParamError)
            #expect(CCCryptorGCMReset(cryptor) == kCCParamError)
        }
        expectRefusals(nil)
        for mode in [kCCModeECB, kCCModeCBC, kCCModeCTR] {
            try CipherCall(mode: mode, key: Self.key).withCryptor(kCCEncrypt) { expectRefusals($0) }
        }
    }

    @Test("at once: what is missing or impossible is a parameter error; a forged tag opens nothing") func oneShot()
        throws
    {
        let message = [UInt8](0..<40)
        let sealed = try Self.call.seal(message)
        func open(
            algorithm: CCAlgorithm = Self.aes, key: [UInt8]? = Self.key, keyLength: Int = 32, iv: [UInt8]? = Self.iv,
            ivLength: Int = 12, associated: [UInt8]? = [7, 8, 9], associatedLength: Int = 3, input: [UInt8]?,
            length: Int,
            hasOutput: Bool = true, tag: [UInt8]?, tagLength: Int = 16
        ) -> CCCryptorStatus {
            let output = GuardedBytes(count: 40)
            let status = CCCryptorGCMOneshotDecrypt(
                algorithm, key, keyLength, iv, ivLength, associated, associatedLength, input, length,
                hasOutput ? output.start : nil, tag, tagLength)
            #expect(output.isIntactBefore)
            // No text of a message that was refused.
            if status != kCCSuccess { #expect(Set(output.bytes).isSubset(of: [0, 0xB5])) }
            return status
        }
        let (text, tag) = (sealed.ciphertext, sealed.tag)
        #expect(open(input: text, length: 40, tag: tag) == kCCSuccess)
        #expect(open(algorithm: 1, input: text, length: 40, tag: tag) == kCCParamError)
        #expect(open(algorithm: .max, input: text, length: 40, tag: tag) == kCCParamError)
        #expect(open(key: nil, input: text, length: 40, tag: tag) == kCCParamError)
        #expect(open(iv: nil, input: text, length: 40, tag: tag) == kCCParamError)
        #expect(open(input: nil, length: 40, tag: tag) == kCCParamError)
        #expect(open(input: text, length: 40, hasOutput: false, tag: tag) == kCCParamError)
        #expect(open(input: text, length: 40, tag: nil) == kCCParamError)
        #expect(open(associated: nil, input: text, length: 40, tag: tag) == kCCParamError)
        for length in [0, 15, 17, 33, Self.huge] {
            #expect(open(keyLength: length, input: text, length: 40, tag: tag) == kCCKeySizeError)
        }
        for length in [0, 11, Int.min, Self.huge] {
            #expect(open(ivLength: length, input: text, length: 40, tag: tag) == kCCParamError, "\(length) bytes")
        }
        for length in [0, 7, 17, Self.huge] {
            #expect(open(input: text, length: 40, tag: tag, tagLength: length) == kCCParamError)
        }
        #expect(open(input: text, length: Self.huge, tag: tag) == kCCParamError)
        #expect(open(associatedLength: Self.huge, input: text, length: 40, tag: tag) == kCCParamError)
        for bit in 0..<tag.count * 8 {
            var forged = tag
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(open(input: text, length: 40, tag: forged) == kCCUnspecifiedError)
        }
        for bit in 0..<text.count * 8 {
            var forged = text
            forged[bit / 8] ^= 1 << (bit % 8)
            #expect(open(input: forged, length: 40, tag: tag) == kCCUnspecifiedError)
        }
        #expect(open(associatedLength: 2, input: text, length: 40, tag: tag) == kCCUnspecifiedError)
        #expect(open(input: text, length: 39, tag: tag) == kCCUnspecifiedError)
    }

    @Test("an output that lies over the input is what it is elsewhere", arguments: [-17, -16, -1, 0, 1, 15, 16, 17])
    func overlapping(_ shift: Int) throws {
        let message = [UInt8](0..<70)
        let sealed = try Self.call.seal(message)
        let memory = GuardedBytes(count: 120)
        let input = memory.start + 20
        input.copyMemory(from: message, byteCount: 70)
        let tag = GuardedBytes(count: 16)
        #expect(
            CCCryptorGCMOneshotEncrypt(
                Self.aes, Self.key, 32, Self.iv, 12, [7, 8, 9] as [UInt8], 3, input, 70, input + shift, tag.start, 16)
                == kCCSuccess)
        #expect(Array(UnsafeRawBufferPointer(start: input + shift, count: 70)) == sealed.ciphertext)
        #expect(tag.contents(16) == sealed.tag)
        input.copyMemory(from: sealed.ciphertext, byteCount: 70)
        #expect(
            CCCryptorGCMOneshotDecrypt(
                Self.aes, Self.key, 32, Self.iv, 12, [7, 8, 9] as [UInt8], 3, input, 70, input + shift, tag.start, 16)
                == kCCSuccess)
        #expect(Array(UnsafeRawBufferPointer(start: input + shift, count: 70)) == message)
    }

    @Test("units of a disk: no tweak, less than a block, another mode") func units() throws {
        let call = CipherCall(mode: kCCModeXTS, key: Array(Self.key.prefix(16)), tweak: Array(Self.key.suffix(16)))
        let memory = GuardedBytes(count: 64)
        try call.withCryptor(kCCEncrypt) { cryptor in
            for function in [CCCryptorEncryptDataBlock, CCCryptorDecryptDataBlock] {
                #expect(function(cryptor, nil, Self.key, 32, memory.start) == kCCParamError)
                #expect(function(cryptor, Self.key, nil, 32, memory.start) == kCCParamError)
                #expect(function(cryptor, Self.key, Self.key, 32, nil) == kCCParamError)
                for length in [1, 15, Self.huge, Int.min] {
                    #expect(function(cryptor, Self.key, Self.key, length, memory.start) == kCCParamError)
                }
            }
            var moved = 0
            // A unit begins with a tweak, which these calls do not have.
            #expect(CCCryptorUpdate(cryptor, Self.key, 32, memory.start, 64, &moved) == kCCParamError)
            #expect(CCCryptorReset(cryptor, nil) == kCCUnimplemented)
            #expect(CCCryptorGetIV(cryptor, memory.start) == kCCParamError)
        }
        for mode in [kCCModeCTR, kCCModeCFB, kCCModeOFB] {
            try CipherCall(mode: mode, key: Self.key).withCryptor(kCCEncrypt) { cryptor in
                #expect(CCCryptorEncryptDataBlock(cryptor, Self.key, Self.key, 32, memory.start) == kCCParamError)
                #expect(CCCryptorEncryptDataBlock(cryptor, nil, Self.key, 32, memory.start) == kCCParamError)
            }
        }
    }
}
