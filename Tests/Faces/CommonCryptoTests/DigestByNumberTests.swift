import CommonCrypto
import CommonCryptoSPI
import Testing

@Suite struct DigestByNumberTests {
    static let digests: [(number: Int, name: String, byteCount: Int, blockByteCount: Int)] = [
        (kCCDigestMD4, "MD4", 16, 64), (kCCDigestMD5, "MD5", 16, 64), (kCCDigestSHA1, "SHA1", 20, 64),
        (kCCDigestSHA224, "SHA224", 28, 64), (kCCDigestSHA256, "SHA256", 32, 64),
        (kCCDigestSHA384, "SHA384", 48, 128), (kCCDigestSHA512, "SHA512", 64, 128),
    ]
    private static let message = (0..<300).map { UInt8($0 % 251) }

    @Test("a number gives the digest of that name, at once, in pieces, copied and reset") func numbers() throws {
        for row in Self.digests {
            let algorithm = CCDigestAlgorithm(row.number)
            let answer = try DigestFunctions.named(row.name).digest(Self.message)
            var output = [UInt8](repeating: 0, count: row.byteCount)
            #expect(CCDigest(algorithm, Self.message, 300, &output) == 0)
            #expect(output == answer)
            #expect(CCDigestGetOutputSize(algorithm) == row.byteCount)
            #expect(CCDigestGetBlockSize(algorithm) == row.blockByteCount)

            let context = try #require(CCDigestCreate(algorithm))
            defer { CCDigestDestroy(context) }
            #expect(CCDigestOutputSize(context) == row.byteCount && CCDigestBlockSize(context) == row.blockByteCount)
            #expect(CCDigestUpdate(context, "forgotten", 9) == 0)
            CCDigestReset(context)
            #expect(CCDigestUpdate(context, Self.message, 100) == 0)
            // The same state in other memory.
            let copy = UnsafeMutablePointer<CCDigestCtx>.allocate(capacity: 1)
            defer { copy.deallocate() }
            copy.initialize(to: context.pointee)
            for running in [context, copy] {
                Self.message[100...].withUnsafeBytes { #expect(CCDigestUpdate(running, $0.baseAddress, 200) == 0) }
                output = [UInt8](repeating: 0, count: row.byteCount)
                #expect(CCDigestFinal(running, &output) == 0)
                #expect(output == answer)
            }
            // A finished context knows its digest, and a reset starts it anew.
            #expect(CCDigestOutputSize(context) == row.byteCount && CCDigestBlockSize(context) == row.blockByteCount)
            #expect(CCDigestUpdate(context, Self.message, 1) == kCCUnimplemented)
            CCDigestReset(context)
            #expect(CCDigestUpdate(context, Self.message, 300) == 0)
            output = [UInt8](repeating: 0, count: row.byteCount)
            #expect(CCDigestFinal(context, &output) == 0)
            #expect(output == answer)
        }
    }

    @Test("a digest and a code may be written over their context") func overContext() throws {
        for row in Self.digests {
            var (digest, code) = (CCDigestCtx(), try #require(CCHmacCreate(CCDigestAlgorithm(row.number), "key", 3)))
            defer { CCHmacDestroy(code) }
            #expect(CCDigestInit(CCDigestAlgorithm(row.number), &digest) == 0)
            #expect(CCDigestUpdate(&digest, Self.message, 300) == 0)
            let found = withUnsafeMutablePointer(to: &digest) { digest in
                let bytes = UnsafeMutableRawPointer(digest)
                #expect(CCDigestFinal(digest, bytes.assumingMemoryBound(to: UInt8.self)) == 0)
                return Array(UnsafeRawBufferPointer(start: bytes, count: row.byteCount))
            }
            #expect(try found == DigestFunctions.named(row.name).digest(Self.message))
            var answer = [UInt8](repeating: 0, count: row.byteCount)
            CCHmacOneShot(CCDigestAlgorithm(row.number), "key", 3, Self.message, 300, &answer)
            CCHmacUpdate(code, Self.message, 300)
            CCHmacFinal(code, code)
            #expect(Array(UnsafeRawBufferPointer(start: code, count: row.byteCount)) == answer)
        }
    }

    @Test("numbers without a digest, null pointers and finished contexts have their codes") func badInput() {
        var output = [UInt8](repeating: 0xEE, count: 64)
        var context = CCDigestCtx()
        #expect(MemoryLayout<CCDigestCtx>.size == 1032)
        for number in [kCCDigestMD2, 4, kCCDigestSHA3_256, kCCDigestSHA3_512] {
            #expect(CCDigest(CCDigestAlgorithm(number), output, 1, &output) == kCCUnimplemented)
            #expect(CCDigestInit(CCDigestAlgorithm(number), &context) == kCCUnimplemented)
            #expect(CCDigestCreate(CCDigestAlgorithm(number)) == nil)
            #expect(CCDigestGetOutputSize(CCDigestAlgorithm(number)) == kCCUnimplemented)
        }
        let sha256 = CCDigestAlgorithm(kCCDigestSHA256)
        #expect(CCDigestInit(0, &context) == kCCParamError)
        #expect(CCDigestInit(.max, &context) == kCCParamError)
        #expect(CCDigestInit(sha256, nil) == kCCParamError)
        #expect(CCDigest(sha256, nil, 1, &output) == kCCParamError)
        #expect(CCDigest(sha256, output, 1, nil) == kCCParamError)
        #expect(CCDigest(sha256, output, -1, &output) == kCCParamError)
        #expect(CCDigestUpdate(&context, output, 1) == kCCUnimplemented)
        #expect(CCDigestFinal(&context, &output) == kCCUnimplemented)
        #expect(CCDigestInit(sha256, &context) == 0)
        #expect(CCDigestUpdate(&context, nil, 0) == 0)
        #expect(CCDigestUpdate(&context, nil, 1) == kCCParamError)
        #expect(CCDigestUpdate(&context, output, -1) == kCCParamError)
        #expect(CCDigestFinal(&context, nil) == kCCParamError)
        #expect(output == [UInt8](repeating: 0xEE, count: 64))
        #expect(CCDigestFinal(&context, &output) == 0)
        #expect(CCDigestFinal(&context, &output) == kCCUnimplemented)
        var empty = CCDigestCtx()
        CCDigestReset(&empty)
        #expect(CCDigestUpdate(&empty, output, 1) == kCCUnimplemented)
        CCDigestReset(nil)
        CCDigestDestroy(nil)
    }
}
