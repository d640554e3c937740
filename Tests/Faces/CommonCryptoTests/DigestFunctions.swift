import CommonCrypto
import Testing

/// The four functions of one digest, as programs call them.
struct DigestFunctions: Sendable, CustomTestStringConvertible {
    let name: String
    let byteCount: Int
    let blockByteCount: Int
    /// The digest of a whole message.
    let digest: @Sendable ([UInt8]) -> [UInt8]
    /// The digest of a message that arrives in pieces, and what each call answered.
    let digestOfPieces: @Sendable ([ArraySlice<UInt8>]) -> (digest: [UInt8], answers: Set<CInt>)
    /// One digest goes two ways after its beginning: the digests of both.
    let fork: @Sendable (_ beginning: [UInt8], _ one: [UInt8], _ other: [UInt8]) -> [[UInt8]]
    /// The digest of a message, written over the context that it comes from.
    let digestOverContext: @Sendable ([UInt8]) -> [UInt8]
    /// Returns the answer of each function to null pointers, and the state of the memory afterwards.
    let answersToNothing: @Sendable () -> [String: CInt]

    var testDescription: String { name }

    static let all: [DigestFunctions] = [
        make(
            "MD2", CC_MD2_DIGEST_LENGTH, CC_MD2_BLOCK_BYTES, CC_MD2, CC_MD2_CTX(), CC_MD2_Init, CC_MD2_Update,
            CC_MD2_Final),
        make(
            "MD4", CC_MD4_DIGEST_LENGTH, CC_MD4_BLOCK_BYTES, CC_MD4, CC_MD4_CTX(), CC_MD4_Init, CC_MD4_Update,
            CC_MD4_Final),
        make(
            "MD5", CC_MD5_DIGEST_LENGTH, CC_MD5_BLOCK_BYTES, CC_MD5, CC_MD5_CTX(), CC_MD5_Init, CC_MD5_Update,
            CC_MD5_Final),
        make(
            "SHA1", CC_SHA1_DIGEST_LENGTH, CC_SHA1_BLOCK_BYTES, CC_SHA1, CC_SHA1_CTX(), CC_SHA1_Init, CC_SHA1_Update,
            CC_SHA1_Final),
        make(
            "SHA224", CC_SHA224_DIGEST_LENGTH, CC_SHA224_BLOCK_BYTES, CC_SHA224, CC_SHA256_CTX(), CC_SHA224_Init,
            CC_SHA224_Update, CC_SHA224_Final),
        make(
            "SHA256", CC_SHA256_DIGEST_LENGTH, CC_SHA256_BLOCK_BYTES, CC_SHA256, CC_SHA256_CTX(), CC_SHA256_Init,
            CC_SHA256_Update, CC_SHA256_Final),
        make(
            "SHA384", CC_SHA384_DIGEST_LENGTH, CC_SHA384_BLOCK_BYTES, CC_SHA384, CC_SHA512_CTX(), CC_SHA384_Init,
            CC_SHA384_Update, CC_SHA384_Final),
        make(
            "SHA512", CC_SHA512_DIGEST_LENGTH, CC_SHA512_BLOCK_BYTES, CC_SHA512, CC_SHA512_CTX(), CC_SHA512_Init,
            CC_SHA512_Update, CC_SHA512_Final),
    ]

    static func named(_ name: String) throws -> DigestFunctions {
        try #require(all.first { $0.name == name })
    }

    private typealias OneShot =
        @Sendable (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) ->
        UnsafeMutablePointer<UInt8>?

    private static func make<Context: BitwiseCopyable & Sendable>(
        _ name: String, _ byteCount: CInt, _ blockByteCount: CInt, _ oneShot: @escaping OneShot, _ empty: Context,
        _ start: @escaping @Sendable (UnsafeMutablePointer<Context>?) -> CInt,
        _ update: @escaping @Sendable (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> CInt,
        _ finish: @escaping @Sendable (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> CInt
    ) -> DigestFunctions {
        let count = Int(byteCount)
        return DigestFunctions(
            name: name, byteCount: count, blockByteCount: Int(blockByteCount),
            digest: { message in
                // A byte more than is written shows a write too far.
                var output = [UInt8](repeating: 0xEE, count: count + 1)
                let answer = output.withUnsafeMutableBufferPointer { output in
                    oneShot(message, CC_LONG(message.count), output.baseAddress) == output.baseAddress
                }
                return answer && output.removeLast() == 0xEE ? output : []
            },
            digestOfPieces: { pieces in
                var context = empty
                var answers: Set = [start(&context)]
                for piece in pieces {
                    answers.insert(piece.withUnsafeBytes { update(&context, $0.baseAddress, CC_LONG($0.count)) })
                }
                var output = [UInt8](repeating: 0, count: count)
                answers.insert(finish(&output, &context))
                return (output, answers)
            },
            fork: { beginning, one, other in
                var context = empty
                _ = start(&context)
                _ = update(&context, beginning, CC_LONG(beginning.count))
                var copy = context
                // The copy is finished first: the original knows nothing of it.
                var outputs = [[UInt8]](repeating: [UInt8](repeating: 0, count: count), count: 2)
                _ = update(&copy, other, CC_LONG(other.count))
                _ = finish(&outputs[1], &copy)
                _ = update(&context, one, CC_LONG(one.count))
                _ = finish(&outputs[0], &context)
                return outputs
            },
            digestOverContext: { message in
                var context = empty
                _ = start(&context)
                _ = update(&context, message, CC_LONG(message.count))
                return withUnsafeMutablePointer(to: &context) { context in
                    let bytes = UnsafeMutableRawPointer(context)
                    _ = finish(bytes.assumingMemoryBound(to: UInt8.self), context)
                    return Array(UnsafeRawBufferPointer(start: bytes, count: count))
                }
            },
            answersToNothing: {
                var context = empty
                var output = [UInt8](repeating: 0xEE, count: count)
                var answers: [String: CInt] = [:]
                answers["init of null"] = start(nil)
                answers["update of null"] = update(nil, output, 1)
                answers["final of null"] = finish(&output, nil)
                answers["one-shot into null"] = oneShot(output, 1, nil) == nil ? 0 : 1
                answers["one-shot of null"] = oneShot(nil, 1, &output) == nil ? 0 : 1
                _ = start(&context)
                answers["update with null"] = update(&context, nil, 5)
                answers["final into null"] = finish(nil, &context)
                answers["bytes written"] = CInt(output.count { $0 != 0xEE })
                return answers
            })
    }
}
