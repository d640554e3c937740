import CommonCrypto
import CommonCryptoSPI
import Testing

/// Answers of the functions that are not in Apple's public headers to calls that they cannot perform.
@Suite struct BadInputPrivateTests {
    private static let huge = Int(bitPattern: UInt.max)
    private static let key = [UInt8](1...32)

    @Test("AES-CMAC: no key, no data, no place, no context") func cmac() {
        let output = GuardedBytes(count: 16)
        let before = output.contents(16)
        let data = Self.key
        CCAESCmac(nil, data, 16, output.start)
        CCAESCmac(data, nil, 16, output.start)
        CCAESCmac(data, nil, Self.huge, output.start)
        CCAESCmac(data, data, Self.huge, output.start)
        CCAESCmac(data, data, 16, nil)
        #expect(output.contents(16) == before)
        CCAESCmac(data, nil, 0, output.start)
        #expect(output.contents(16) == CMACCall.code(key: Array(data.prefix(16)), []))
        #expect(CCAESCmacCreate(nil, 16) == nil)
        for length in [0, 15, 17, 33, Int.max, Self.huge] { #expect(CCAESCmacCreate(data, length) == nil) }
        CCAESCmacUpdate(nil, data, 16)
        CCAESCmacFinal(nil, output.start)
        CCAESCmacDestroy(nil)
        let context = CCAESCmacCreate(data, 16)
        CCAESCmacUpdate(context, nil, 0)
        CCAESCmacFinal(context, nil)
        CCAESCmacDestroy(context)
    }

    @Test("digests by number: no such number, no data, no place, no context") func digests() {
        let output = GuardedBytes(count: 64)
        let bytes = output.start.assumingMemoryBound(to: UInt8.self)
        let before = output.contents(64)
        var context = CCDigestCtx()
        for number: UInt32 in [0, 4, 6, 7, 17, 100, .max] {
            #expect(CCDigest(number, Self.key, 32, bytes) != kCCSuccess, "number \(number)")
            #expect(CCDigestInit(number, &context) != kCCSuccess)
            #expect(CCDigestCreate(number) == nil)
            #expect(CCDigestGetOutputSize(number) == kCCUnimplemented)
            #expect(CCDigestGetBlockSize(number) == kCCUnimplemented)
            #expect(CCHmacCreate(number, Self.key, 32) == nil)
            CCHmacOneShot(number, Self.key, 32, Self.key, 32, output.start)
        }
        let sha256 = CCDigestAlgorithm(kCCDigestSHA256)
        #expect(CCDigest(sha256, nil, 32, bytes) != kCCSuccess)
        #expect(CCDigest(sha256, Self.key, 32, nil) != kCCSuccess)
        #expect(CCDigest(sha256, Self.key, Self.huge, bytes) != kCCSuccess)
        #expect(CCDigestInit(sha256, nil) != kCCSuccess)
        #expect(CCDigestUpdate(nil, Self.key, 32) != kCCSuccess)
        #expect(CCDigestFinal(nil, bytes) != kCCSuccess)
        // A reference that was not initialised.
        context = CCDigestCtx()
        #expect(CCDigestUpdate(&context, Self.key, 32) != kCCSuccess)
        #expect(CCDigestFinal(&context, bytes) != kCCSuccess)
        CCDigestReset(&context)
        CCDigestReset(nil)
        CCDigestDestroy(nil)
        CCHmacDestroy(nil)
        #expect(CCHmacClone(nil) == nil)
        #expect(CCHmacCreate(sha256, nil, 5) == nil)
        CCHmacOneShot(sha256, nil, 5, Self.key, 32, output.start)
        CCHmacOneShot(sha256, Self.key, 32, nil, 5, output.start)
        #expect(output.contents(64) == before)
    }

    @Test("references of any bytes do nothing beyond their memory") func strangeReferences() {
        var random = SeededBytes("strange references")
        let output = GuardedBytes(count: 64)
        for _ in 0..<500 {
            let strange = random.bytes(64)
            let memory = GuardedBytes(count: MemoryLayout<CCDigestCtx>.size)
            memory.bytes.copyBytes(from: strange)
            let reference = memory.start.assumingMemoryBound(to: CCDigestCtx.self)
            // The number of a digest may lie anywhere in its first words.
            memory.start.storeBytes(of: UInt32(random.next() % 20), as: UInt32.self)
            _ = CCDigestGetOutputSizeFromRef(reference)
            _ = CCDigestUpdate(reference, strange, 64)
            _ = CCDigestFinal(reference, output.start.assumingMemoryBound(to: UInt8.self))
            CCDigestReset(reference)
        }
        #expect(output.isIntactBefore)
    }

    @Test("keys from keys: null pointers, impossible lengths, no such digest") func derivations() {
        let output = GuardedBytes(count: 32)
        let before = output.contents(32)
        var made: CCKDFParametersRef?
        #expect(CCKDFParametersCreateHkdf(nil, nil, 0, nil, 0) == kCCParamError)
        for length in [1, Int.max, Self.huge] {
            #expect(CCKDFParametersCreateHkdf(&made, nil, length, nil, 0) == kCCParamError)
            #expect(CCKDFParametersCreateHkdf(&made, nil, 0, nil, length) == kCCParamError)
            #expect(CCKDFParametersCreatePbkdf2(&made, 1, nil, length) == kCCParamError)
            #expect(CCKDFParametersCreateCtrHmac(&made, nil, length, nil, 0) == kCCParamError)
            #expect(CCKDFParametersCreateCtrHmacFixed(&made, nil, length) == kCCParamError)
            #expect(CCKDFParametersCreateAnsiX963(&made, nil, length) == kCCParamError)
        }
        #expect(CCKDFParametersCreatePbkdf2(&made, 0, Self.key, 8) == kCCParamError)
        #expect(made == nil)
        CCKDFParametersDestroy(nil)
        let sha256 = CCDigestAlgorithm(kCCDigestSHA256)
        #expect(CCDeriveKey(nil, sha256, Self.key, 32, output.start, 32) == kCCParamError)
        #expect(CCKDFParametersCreateHkdf(&made, nil, 0, nil, 0) == kCCSuccess)
        for number: UInt32 in [0, 4, 17, .max] {
            #expect(CCDeriveKey(made, number, Self.key, 32, output.start, 32) == kCCParamError)
        }
        #expect(CCDeriveKey(made, sha256, nil, 32, output.start, 32) == kCCParamError)
        #expect(CCDeriveKey(made, sha256, Self.key, 32, nil, 32) == kCCParamError)
        #expect(CCDeriveKey(made, sha256, Self.key, Self.huge, output.start, 32) == kCCParamError)
        for length in [255 * 32 + 1, Int.max, Self.huge] {
            #expect(CCDeriveKey(made, sha256, Self.key, 32, output.start, length) == kCCParamError)
        }
        #expect(output.contents(32) == before)
        #expect(CCDeriveKey(made, sha256, Self.key, 32, output.start, 32) == kCCSuccess)
        CCKDFParametersDestroy(made)
    }

    @Test("random numbers: no bound, no place") func random() {
        var number: UInt64 = 7
        #expect(CCRandomUniform(0, &number) == kCCParamError)
        #expect(CCRandomUniform(10, nil) == kCCParamError)
        #expect(CCRandomUniform(1, &number) == kCCSuccess && number == 0)
        #expect(CCRandomCopyBytes(kCCRandomDefault, nil, 1) != kCCSuccess)
        #expect(CCRandomCopyBytes(kCCRandomDefault, nil, 0) == kCCSuccess)
    }
}
