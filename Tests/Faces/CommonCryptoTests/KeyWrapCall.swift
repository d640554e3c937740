import CommonCrypto
import Testing

/// Key wrap as programs call it, with exactly the room that it asks for.
enum KeyWrapCall {
    static func wrap(_ raw: [UInt8], under key: [UInt8]) throws -> [UInt8] {
        let (input, key) = (GuardedBytes(raw), GuardedBytes(key))
        let output = GuardedBytes(count: CCSymmetricWrappedSize(CCWrappingAlgorithm(kCCWRAPAES), raw.count))
        var length = output.bytes.count
        let status = CCSymmetricKeyWrap(
            CCWrappingAlgorithm(kCCWRAPAES), CCrfc3394_iv, CCrfc3394_ivLen, bytes(key), key.bytes.count, bytes(input),
            raw.count, bytes(output), &length)
        return try answer(status, output, length)
    }

    static func unwrap(_ wrapped: [UInt8], under key: [UInt8]) throws -> [UInt8] {
        let (input, key) = (GuardedBytes(wrapped), GuardedBytes(key))
        let output = GuardedBytes(count: CCSymmetricUnwrappedSize(CCWrappingAlgorithm(kCCWRAPAES), wrapped.count))
        var length = output.bytes.count
        let status = CCSymmetricKeyUnwrap(
            CCWrappingAlgorithm(kCCWRAPAES), CCrfc3394_iv, CCrfc3394_ivLen, bytes(key), key.bytes.count, bytes(input),
            wrapped.count, bytes(output), &length)
        return try answer(status, output, length)
    }

    private static func answer(_ status: Int32, _ output: GuardedBytes, _ length: Int) throws -> [UInt8] {
        guard status == kCCSuccess else {
            // Nothing is left of what was opened and found wrong.
            try #require(length == 0 && Set(output.bytes).count <= 1)
            throw CipherCall.Refusal(status: status)
        }
        try #require(length <= output.bytes.count && output.isIntactBefore)
        return output.contents(length)
    }

    private static func bytes(_ memory: GuardedBytes) -> UnsafeMutablePointer<UInt8> {
        memory.start.assumingMemoryBound(to: UInt8.self)
    }
}
