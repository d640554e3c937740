import CommonCrypto

/// HMAC as programs call it.
enum MACCall {
    static func code(_ algorithm: Int, key: [UInt8], _ message: [UInt8], length: Int) -> [UInt8] {
        let (key, input, output) = (GuardedBytes(key), GuardedBytes(message), GuardedBytes(count: length))
        CCHmac(
            CCHmacAlgorithm(algorithm), key.start, key.bytes.count, input.start, message.count, output.start)
        return output.contents(length)
    }

    static func codeInPieces(_ algorithm: Int, key: [UInt8], _ message: [UInt8], length: Int) -> [UInt8] {
        let (key, input, output) = (GuardedBytes(key), GuardedBytes(message), GuardedBytes(count: length))
        var context = CCHmacContext()
        CCHmacInit(&context, CCHmacAlgorithm(algorithm), key.start, key.bytes.count)
        let half = message.count / 2
        CCHmacUpdate(&context, input.start, half)
        // Copied by assignment, as callers do.
        var moved = context
        CCHmacUpdate(&moved, input.start + half, message.count - half)
        CCHmacFinal(&moved, output.start)
        return output.contents(length)
    }
}
