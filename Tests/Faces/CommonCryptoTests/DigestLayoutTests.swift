import CommonCrypto
import Testing

/// Programs allocate these themselves: sizes, places of fields and numbers are Apple's.
@Suite struct DigestLayoutTests {
    @Test("contexts have Apple's sizes and alignments") func sizes() {
        #expect(MemoryLayout<CC_MD2_CTX>.size == 148)
        #expect(MemoryLayout<CC_MD4_CTX>.size == 92)
        #expect(MemoryLayout<CC_MD5_CTX>.size == 92)
        #expect(MemoryLayout<CC_SHA1_CTX>.size == 96)
        #expect(MemoryLayout<CC_SHA256_CTX>.size == 104)
        #expect(MemoryLayout<CC_SHA512_CTX>.size == 208)
        #expect(MemoryLayout<CCHmacContext>.size == 384)
        #expect(MemoryLayout<CC_SHA256_CTX>.alignment == 4)
        #expect(MemoryLayout<CC_SHA512_CTX>.alignment == 8)
        #expect(MemoryLayout<CCHmacContext>.alignment == 4)
    }

    @Test("fields of contexts are where Apple has them") func offsets() {
        #expect(MemoryLayout<CC_MD2_CTX>.offset(of: \.data) == 4)
        #expect(MemoryLayout<CC_MD2_CTX>.offset(of: \.cksm) == 20)
        #expect(MemoryLayout<CC_MD2_CTX>.offset(of: \.state) == 84)
        #expect(MemoryLayout<CC_MD4_CTX>.offset(of: \.Nl) == 16)
        #expect(MemoryLayout<CC_MD4_CTX>.offset(of: \.data) == 24)
        #expect(MemoryLayout<CC_MD4_CTX>.offset(of: \.num) == 88)
        #expect(MemoryLayout<CC_MD5_CTX>.offset(of: \.Nl) == 16)
        #expect(MemoryLayout<CC_MD5_CTX>.offset(of: \.num) == 88)
        #expect(MemoryLayout<CC_SHA1_CTX>.offset(of: \.h4) == 16)
        #expect(MemoryLayout<CC_SHA1_CTX>.offset(of: \.Nl) == 20)
        #expect(MemoryLayout<CC_SHA1_CTX>.offset(of: \.data) == 28)
        #expect(MemoryLayout<CC_SHA1_CTX>.offset(of: \.num) == 92)
        #expect(MemoryLayout<CC_SHA256_CTX>.offset(of: \.hash) == 8)
        #expect(MemoryLayout<CC_SHA256_CTX>.offset(of: \.wbuf) == 40)
        #expect(MemoryLayout<CC_SHA512_CTX>.offset(of: \.hash) == 16)
        #expect(MemoryLayout<CC_SHA512_CTX>.offset(of: \.wbuf) == 80)
    }

    @Test("a running SHA-256 keeps its count, its state and its bytes in Apple's fields") func contents() {
        var context = CC_SHA256_CTX()
        CC_SHA256_Init(&context)
        #expect(context.hash.0 == 0x6A09_E667 && context.hash.7 == 0x5BE0_CD19)
        let message = [UInt8](repeating: 0x61, count: 67)
        CC_SHA256_Update(&context, message, 67)
        #expect(context.count.0 == 67 && context.count.1 == 0)
        #expect(context.wbuf.0 & 0xFF_FFFF == 0x61_6161)
    }

    /// MD2's padding and checksum are a part of what is digested (RFC 1319, 3.1 and 3.2): a program that writes both itself
    /// sees the checksum after the one, and the digest after the other.
    @Test("a running MD2 keeps its count, its bytes, its checksum and its state in Apple's fields") func md2() {
        let message = Array("fields".utf8)
        let padded = message + [UInt8](repeating: 10, count: 10)
        var (digest, context) = ([UInt8](repeating: 0, count: 16), CC_MD2_CTX())
        _ = CC_MD2(message, 6, &digest)

        CC_MD2_Init(&context)
        #expect(context.num == 0 && first16(of: context.state).allSatisfy { $0 == 0 })
        CC_MD2_Update(&context, padded, 6)
        #expect(context.num == 6)
        #expect(withUnsafeBytes(of: context.data) { Array($0.prefix(6)) } == message)
        CC_MD2_Update(&context, Array(padded[6...]), 10)
        #expect(context.num == 0)
        let checksum = first16(of: context.cksm)
        CC_MD2_Update(&context, checksum, 16)
        #expect(first16(of: context.state) == digest)

        // Another context with the same fields goes on alike.
        var (one, other) = (CC_MD2_CTX(), CC_MD2_CTX())
        CC_MD2_Init(&one)
        CC_MD2_Update(&one, Array("a message of more than a block".utf8), 30)
        other.num = one.num
        other.data = one.data
        withUnsafeMutableBytes(of: &other.cksm) { $0.copyBytes(from: first16(of: one.cksm)) }
        withUnsafeMutableBytes(of: &other.state) { $0.copyBytes(from: first16(of: one.state)) }
        var second = digest
        CC_MD2_Final(&digest, &one)
        CC_MD2_Final(&second, &other)
        #expect(digest == second)
    }

    private func first16<Field>(of field: Field) -> [UInt8] {
        withUnsafeBytes(of: field) { Array($0.prefix(16)) }
    }

    @Test("constants are Apple's, of the types that Swift sees there") func constants() {
        let lengths: [Int32] = [
            CC_MD2_DIGEST_LENGTH, CC_MD4_DIGEST_LENGTH, CC_MD5_DIGEST_LENGTH, CC_SHA1_DIGEST_LENGTH,
            CC_SHA224_DIGEST_LENGTH, CC_SHA256_DIGEST_LENGTH, CC_SHA384_DIGEST_LENGTH, CC_SHA512_DIGEST_LENGTH,
        ]
        #expect(lengths == [16, 16, 16, 20, 28, 32, 48, 64])
        let blocks: [Int32] = [
            CC_MD2_BLOCK_BYTES, CC_MD4_BLOCK_BYTES, CC_MD5_BLOCK_BYTES, CC_SHA1_BLOCK_BYTES, CC_SHA224_BLOCK_BYTES,
            CC_SHA256_BLOCK_BYTES, CC_SHA384_BLOCK_BYTES, CC_SHA512_BLOCK_BYTES,
        ]
        #expect(blocks == [64, 64, 64, 64, 64, 64, 128, 128])
        let algorithms: [Int] = [
            kCCHmacAlgSHA1, kCCHmacAlgMD5, kCCHmacAlgSHA256, kCCHmacAlgSHA384, kCCHmacAlgSHA512, kCCHmacAlgSHA224,
        ]
        #expect(algorithms == [0, 1, 2, 3, 4, 5])
        let functions: [Int] = [
            kCCPBKDF2, kCCPRFHmacAlgSHA1, kCCPRFHmacAlgSHA224, kCCPRFHmacAlgSHA256, kCCPRFHmacAlgSHA384,
            kCCPRFHmacAlgSHA512, kCCWRAPAES,
        ]
        #expect(functions == [2, 1, 2, 3, 4, 5, 1])
        let types: [Any.Type] = [
            CC_LONG.self, CC_LONG64.self, CCHmacAlgorithm.self, CCPBKDFAlgorithm.self, CCPseudoRandomAlgorithm.self,
            CCWrappingAlgorithm.self, CCRNGStatus.self,
        ]
        let expected: [Any.Type] = [
            UInt32.self, UInt64.self, UInt32.self, UInt32.self, UInt32.self, UInt32.self, Int32.self,
        ]
        #expect(types.map(ObjectIdentifier.init) == expected.map(ObjectIdentifier.init))
    }
}
