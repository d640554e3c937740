import CommonCrypto
import Testing

/// Messages through a cryptor, as programs send them: every buffer has exactly the size that CommonCrypto asks for.
struct CipherCall {
    struct Refusal: Error, Equatable {
        let status: CCCryptorStatus
    }

    var algorithm = kCCAlgorithmAES
    var mode = kCCModeCBC
    var padding = ccNoPadding
    var key: [UInt8]
    var iv: [UInt8]?
    var tweak: [UInt8] = []

    func encrypt(_ message: [UInt8], pieces: [Int] = []) throws -> [UInt8] {
        try run(kCCEncrypt, message, pieces: pieces)
    }

    func decrypt(_ message: [UInt8], pieces: [Int] = []) throws -> [UInt8] {
        try run(kCCDecrypt, message, pieces: pieces)
    }

    /// - Parameter pieces: lengths of the first calls of `CCCryptorUpdate`, which get what room they need and no more;
    ///   what is left of the message comes in one more.
    func run(_ operation: Int, _ message: [UInt8], pieces: [Int] = []) throws -> [UInt8] {
        try withCryptor(operation) { cryptor in
            let input = GuardedBytes(message)
            var output: [UInt8] = []
            var position = 0
            for piece in pieces + [Int.max] {
                let length = min(piece, message.count - position)
                let room = GuardedBytes(count: CCCryptorGetOutputLength(cryptor, length, false))
                var moved = -1
                try check(
                    CCCryptorUpdate(cryptor, input.start + position, length, room.start, room.bytes.count, &moved))
                try #require(moved <= room.bytes.count && room.isIntactBefore)
                output += room.contents(moved)
                position += length
            }
            let room = GuardedBytes(count: CCCryptorGetOutputLength(cryptor, 0, true))
            var moved = -1
            try check(CCCryptorFinal(cryptor, room.start, room.bytes.count, &moved))
            try #require(moved <= room.bytes.count && room.isIntactBefore)
            return output + room.contents(moved)
        }
    }

    func withCryptor<Value>(_ operation: Int, _ body: (CCCryptorRef) throws -> Value) throws -> Value {
        var cryptor: CCCryptorRef?
        let key = GuardedBytes(key)
        let iv = iv.map { GuardedBytes($0) }
        let tweak = GuardedBytes(tweak)
        try check(
            CCCryptorCreateWithMode(
                CCOperation(operation), CCMode(mode), CCAlgorithm(algorithm), CCPadding(padding), iv?.start, key.start,
                key.bytes.count, tweak.start, tweak.bytes.count, 0, 0, &cryptor))
        let made = try #require(cryptor)
        defer { CCCryptorRelease(made) }
        return try body(made)
    }

    private func check(_ status: CCCryptorStatus) throws {
        guard status == kCCSuccess else { throw Refusal(status: status) }
    }

    /// The same in one call of `CCCrypt`, which knows ECB, CBC and RC4; the output has exactly the room that it needs.
    func oneShot(_ operation: Int, _ message: [UInt8]) throws -> [UInt8] {
        let options =
            (mode == kCCModeECB ? kCCOptionECBMode : 0) | (padding == ccPKCS7Padding ? kCCOptionPKCS7Padding : 0)
        let input = GuardedBytes(message)
        let key = GuardedBytes(key)
        let iv = iv.map { GuardedBytes($0) }
        func crypt(_ output: GuardedBytes) -> (status: CCCryptorStatus, moved: Int) {
            var moved = 0
            let status = CCCrypt(
                CCOperation(operation), CCAlgorithm(algorithm), CCOptions(options), key.start, key.bytes.count,
                iv?.start, input.start, message.count, output.start, output.bytes.count, &moved)
            return (status, moved)
        }
        let asked = crypt(GuardedBytes(count: 0))
        if asked.status != kCCBufferTooSmall { try check(asked.status) }
        let output = GuardedBytes(count: asked.moved)
        let done = crypt(output)
        try check(done.status)
        try #require(done.moved <= asked.moved && output.isIntactBefore)
        return output.contents(done.moved)
    }
}
