import CommonCrypto
import Testing

/// Answers of digests, codes, key derivation, random bytes and key wrap to calls that they cannot perform.
@Suite struct BadInputDigestTests {
    private static let huge = Int(bitPattern: UInt.max)

    struct Digest: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let length: Int32
        let oneShot:
            @Sendable (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?
        /// Calls in pieces, each with a null pointer; false if one of the answers is not the right one.
        let isRightWithNull: @Sendable () -> Bool
    }

    private static func isRight<Context>(
        _ context: Context, _ length: Int32, _ start: (UnsafeMutablePointer<Context>?) -> Int32,
        _ update: (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32,
        _ end: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
    ) -> Bool {
        var context = context
        let output = GuardedBytes(count: Int(length))
        let first = output.start.assumingMemoryBound(to: UInt8.self)
        let byte: [UInt8] = [0x61]
        guard start(nil) == 0, update(nil, byte, 1) == 0, end(first, nil) == 0, start(&context) == 1 else {
            return false
        }
        // Nothing is added by nothing, and a digest that has nowhere to go goes nowhere.
        guard update(&context, nil, 0) == 1, update(&context, nil, 5) == 1, update(&context, byte, 0) == 1,
            update(&context, nil, .max) == 1, end(nil, &context) == 1
        else { return false }
        guard start(&context) == 1, update(&context, byte, 1) == 1, update(&context, nil, 9) == 1,
            end(first, &context) == 1
        else { return false }
        let expected = CAVPDigestTests.inPieces([byte[...]], context, length, start, update, end)
        return output.contents(Int(length)) == expected
    }

    static let all: [Digest] = [
        Digest(testDescription: "MD2", length: CC_MD2_DIGEST_LENGTH, oneShot: { CC_MD2($0, $1, $2) }) {
            isRight(CC_MD2_CTX(), CC_MD2_DIGEST_LENGTH, CC_MD2_Init, CC_MD2_Update, CC_MD2_Final)
        },
        Digest(testDescription: "MD4", length: CC_MD4_DIGEST_LENGTH, oneShot: { CC_MD4($0, $1, $2) }) {
            isRight(CC_MD4_CTX(), CC_MD4_DIGEST_LENGTH, CC_MD4_Init, CC_MD4_Update, CC_MD4_Final)
        },
        Digest(testDescription: "MD5", length: CC_MD5_DIGEST_LENGTH, oneShot: { CC_MD5($0, $1, $2) }) {
            isRight(CC_MD5_CTX(), CC_MD5_DIGEST_LENGTH, CC_MD5_Init, CC_MD5_Update, CC_MD5_Final)
        },
        Digest(testDescription: "SHA1", length: CC_SHA1_DIGEST_LENGTH, oneShot: { CC_SHA1($0, $1, $2) }) {
            isRight(CC_SHA1_CTX(), CC_SHA1_DIGEST_LENGTH, CC_SHA1_Init, CC_SHA1_Update, CC_SHA1_Final)
        },
        Digest(testDescription: "SHA224", length: CC_SHA224_DIGEST_LENGTH, oneShot: { CC_SHA224($0, $1, $2) }) {
            isRight(CC_SHA256_CTX(), CC_SHA224_DIGEST_LENGTH, CC_SHA224_Init, CC_SHA224_Update, CC_SHA224_Final)
        },
        Digest(testDescription: "SHA256", length: CC_SHA256_DIGEST_LENGTH, oneShot: { CC_SHA256($0, $1, $2) }) {
            isRight(CC_SHA256_CTX(), CC_SHA256_DIGEST_LENGTH, CC_SHA256_Init, CC_SHA256_Update, CC_SHA256_Final)
        },
        Digest(testDescription: "SHA384", length: CC_SHA384_DIGEST_LENGTH, oneShot: { CC_SHA384($0, $1, $2) }) {
            isRight(CC_SHA512_CTX(), CC_SHA384_DIGEST_LENGTH, CC_SHA384_Init, CC_SHA384_Update, CC_SHA384_Final)
        },
        Digest(testDescription: "SHA512", length: CC_SHA512_DIGEST_LENGTH, oneShot: { CC_SHA512($0, $1, $2) }) {
            isRight(CC_SHA512_CTX(), CC_SHA512_DIGEST_LENGTH, CC_SHA512_Init, CC_SHA512_Update, CC_SHA512_Final)
        },
    ]

    @Test("digests: null pointers, and an output that lies in the message", arguments: all) func digests(
        _ digest: Digest
    ) {
        let output = GuardedBytes(count: Int(digest.length))
        let before = output.contents(output.bytes.count)
        let first = output.start.assumingMemoryBound(to: UInt8.self)
        #expect(digest.oneShot(nil, 5, first) == nil)
        #expect(digest.oneShot(nil, .max, first) == nil)
        #expect(digest.oneShot(before, 5, nil) == nil)
        #expect(output.contents(output.bytes.count) == before)
        #expect(digest.oneShot(nil, 0, first) == first)
        let empty = output.contents(output.bytes.count)
        #expect(digest.oneShot(before, 0, first) == first && output.contents(output.bytes.count) == empty)
        #expect(digest.isRightWithNull())
        let message = (0..<200).map { UInt8($0) }
        #expect(digest.oneShot(message, 200, first) == first)
        for offset in [0, 1, 63, 64, 130] {
            let memory = GuardedBytes(message)
            let inside = (memory.start + offset).assumingMemoryBound(to: UInt8.self)
            #expect(digest.oneShot(memory.start, 200, inside) == inside)
            #expect(Array(memory.bytes[offset...].prefix(Int(digest.length))) == output.contents(Int(digest.length)))
        }
    }

    @Test("a code of nothing that is one writes nothing") func codes() {
        let output = GuardedBytes(count: 64)
        let (key, before) = ([UInt8](1...20), output.contents(64))
        let sha256 = CCHmacAlgorithm(kCCHmacAlgSHA256)
        for algorithm: UInt32 in [6, 7, 100, .max] {
            CCHmac(algorithm, key, 20, key, 20, output.start)
            var context = CCHmacContext()
            CCHmacInit(&context, algorithm, key, 20)
            CCHmacUpdate(&context, key, 20)
            CCHmacFinal(&context, output.start)
        }
        for length in [1, 64, 65, Int.max, Self.huge] {
            CCHmac(sha256, nil, length, key, 20, output.start)
            CCHmac(sha256, key, 20, nil, length, output.start)
        }
        for length in [Self.huge, Int.min] {
            CCHmac(sha256, key, length, key, 20, output.start)
            CCHmac(sha256, key, 20, key, length, output.start)
        }
        // A context that was never initialised.
        var context = CCHmacContext()
        CCHmacUpdate(&context, key, 20)
        CCHmacFinal(&context, output.start)
        CCHmacInit(nil, sha256, key, 20)
        CCHmacUpdate(nil, key, 20)
        CCHmacFinal(nil, output.start)
        // One that is spoilt stays so.
        CCHmacInit(&context, sha256, key, 20)
        CCHmacUpdate(&context, nil, 20)
        CCHmacUpdate(&context, key, 20)
        CCHmacFinal(&context, output.start)
        CCHmacFinal(&context, output.start)
        #expect(output.contents(64) == before)
        CCHmac(sha256, key, 20, key, 20, nil)
        CCHmacInit(&context, sha256, nil, 0)
        CCHmacUpdate(&context, nil, 0)
        CCHmacFinal(&context, nil)
        CCHmacFinal(&context, output.start)
        #expect(output.contents(32) == MACCall.code(kCCHmacAlgSHA256, key: [], [], length: 32))
        #expect(output.contents(64).suffix(32) == before.suffix(32))
    }

    @Test("a context of any bytes does nothing beyond its memory") func strangeContexts() {
        var random = SeededBytes("strange contexts")
        let output = GuardedBytes(count: 64)
        for _ in 0..<500 {
            let strange = random.bytes(MemoryLayout<CCHmacContext>.size)
            let memory = GuardedBytes(count: strange.count)
            memory.bytes.copyBytes(from: strange)
            let context = memory.start.assumingMemoryBound(to: CCHmacContext.self)
            CCHmacUpdate(context, strange, Int(random.next() % 200))
            CCHmacFinal(context, output.start)
            let digests = GuardedBytes(random.bytes(MemoryLayout<CC_SHA512_CTX>.size))
            let large = digests.start.assumingMemoryBound(to: CC_SHA512_CTX.self)
            #expect(CC_SHA512_Update(large, strange, CC_LONG(random.next() % 300)) == 1)
            #expect(CC_SHA512_Final(output.start.assumingMemoryBound(to: UInt8.self), large) == 1)
            let smaller = GuardedBytes(random.bytes(MemoryLayout<CC_SHA256_CTX>.size))
            let small = smaller.start.assumingMemoryBound(to: CC_SHA256_CTX.self)
            #expect(CC_SHA256_Update(small, strange, CC_LONG(random.next() % 300)) == 1)
            #expect(CC_SHA256_Final(output.start.assumingMemoryBound(to: UInt8.self), small) == 1)
            let oldest = GuardedBytes(random.bytes(MemoryLayout<CC_MD5_CTX>.size))
            let old = oldest.start.assumingMemoryBound(to: CC_MD5_CTX.self)
            _ = CC_MD5_Update(old, strange, CC_LONG(random.next() % 300))
            _ = CC_MD5_Final(output.start.assumingMemoryBound(to: UInt8.self), old)
            let ancient = GuardedBytes(random.bytes(MemoryLayout<CC_MD2_CTX>.size))
            let most = ancient.start.assumingMemoryBound(to: CC_MD2_CTX.self)
            _ = CC_MD2_Update(most, strange, CC_LONG(random.next() % 300))
            _ = CC_MD2_Final(output.start.assumingMemoryBound(to: UInt8.self), most)
        }
        #expect(output.isIntactBefore)
    }

    @Test("keys from passwords: what is missing, unknown or impossible is a parameter error") func passwords() {
        let (password, salt, key) = (GuardedBytes([0x61]), GuardedBytes([1, 2, 3, 4]), GuardedBytes(count: 32))
        let text = password.start.assumingMemoryBound(to: CChar.self)
        let salted = salt.start.assumingMemoryBound(to: UInt8.self)
        let derived = key.start.assumingMemoryBound(to: UInt8.self)
        let (pbkdf2, sha256) = (CCPBKDFAlgorithm(kCCPBKDF2), CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA256))
        let before = key.contents(32)
        for algorithm: UInt32 in [0, 1, 3, .max] {
            #expect(CCKeyDerivationPBKDF(algorithm, text, 1, salted, 4, sha256, 1, derived, 32) == kCCParamError)
            #expect(CCCalibratePBKDF(algorithm, 1, 4, sha256, 32, 1) == .max)
        }
        for function: UInt32 in [0, 6, 100, .max] {
            #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, 4, function, 1, derived, 32) == kCCParamError)
            #expect(CCCalibratePBKDF(pbkdf2, 1, 4, function, 32, 1) == .max)
        }
        #expect(CCKeyDerivationPBKDF(pbkdf2, nil, 1, salted, 4, sha256, 1, derived, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(pbkdf2, nil, 0, salted, 4, sha256, 1, derived, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, nil, 4, sha256, 1, derived, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, 4, sha256, 0, derived, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, 4, sha256, 1, nil, 32) == kCCParamError)
        #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, 4, sha256, 1, derived, 0) == kCCParamError)
        for length in [Self.huge, Int.min] {
            #expect(CCKeyDerivationPBKDF(pbkdf2, text, length, salted, 4, sha256, 1, derived, 32) == kCCParamError)
            #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, length, sha256, 1, derived, 32) == kCCParamError)
            #expect(CCKeyDerivationPBKDF(pbkdf2, text, 1, salted, 4, sha256, 1, derived, length) == kCCParamError)
            #expect(CCCalibratePBKDF(pbkdf2, length, 4, sha256, 32, 1) == .max)
            #expect(CCCalibratePBKDF(pbkdf2, 1, length, sha256, 32, 1) == .max)
            #expect(CCCalibratePBKDF(pbkdf2, 1, 4, sha256, length, 1) == .max)
        }
        #expect(CCCalibratePBKDF(pbkdf2, 1, 133, sha256, 32, 1) == .max)
        #expect(CCCalibratePBKDF(pbkdf2, 1, 4, sha256, 0, 1) == .max)
        #expect(key.contents(32) == before)
        #expect(CCKeyDerivationPBKDF(pbkdf2, text, 0, nil, 0, sha256, 1, derived, 32) == kCCSuccess)
        #expect(key.contents(32) != before)
    }

    @Test("random bytes: null pointers and impossible counts are refused, zero bytes are not") func random() {
        let memory = GuardedBytes(count: 100)
        let before = memory.contents(100)
        #expect(CCRandomGenerateBytes(nil, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
        #expect(CCRandomGenerateBytes(nil, Self.huge) == kCCParamError)
        #expect(CCRandomGenerateBytes(memory.start, Self.huge) == kCCParamError)
        #expect(CCRandomGenerateBytes(memory.start, 0) == kCCSuccess)
        #expect(memory.contents(100) == before)
        #expect(CCRandomGenerateBytes(memory.start, 100) == kCCSuccess)
        #expect(memory.contents(100) != before && memory.isIntactBefore)
    }
}
