import CommonCrypto

/// A cipher in the tests of every cipher.
struct TestedCipher: CustomStringConvertible, Sendable {
    let name: String
    let algorithm: Int
    let block: Int
    let keyLengths: [Int]

    var description: String { name }

    /// With a length that is the cipher's own, the shortest, the longest, and some between.
    static let blockCiphers = [
        TestedCipher(name: "AES", algorithm: kCCAlgorithmAES, block: 16, keyLengths: [16, 24, 32]),
        TestedCipher(name: "DES", algorithm: kCCAlgorithmDES, block: 8, keyLengths: [8]),
        TestedCipher(name: "3DES", algorithm: kCCAlgorithm3DES, block: 8, keyLengths: [24]),
        TestedCipher(name: "CAST", algorithm: kCCAlgorithmCAST, block: 8, keyLengths: [5, 10, 11, 16]),
        TestedCipher(name: "RC2", algorithm: kCCAlgorithmRC2, block: 8, keyLengths: [1, 8, 16, 128]),
        TestedCipher(name: "Blowfish", algorithm: kCCAlgorithmBlowfish, block: 8, keyLengths: [8, 16, 56]),
    ]

    static let rc4 = TestedCipher(name: "RC4", algorithm: kCCAlgorithmRC4, block: 1, keyLengths: [1, 16, 512])
    static let all = blockCiphers + [rc4]

    /// Bytes that are all different, so that a wrong offset shows.
    static func bytes(_ count: Int, from first: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: first + $0 * 7) }
    }

    static let streamingModes = [kCCModeCFB, kCCModeCFB8, kCCModeCTR, kCCModeOFB]
    static let blockModes = [kCCModeECB, kCCModeCBC]
}

/// The modes of operation written down from NIST SP 800-38A, over single blocks of ECB.
struct CryptorComposition {
    let cipher: TestedCipher
    let key: [UInt8]

    func block(_ operation: Int, _ input: [UInt8]) throws -> [UInt8] {
        try CipherCall(algorithm: cipher.algorithm, mode: kCCModeECB, key: key).run(operation, input)
    }

    func encrypt(_ mode: Int, _ message: [UInt8], iv: [UInt8]) throws -> [UInt8] {
        switch mode {
        case kCCModeECB: try message.blocks(cipher.block).flatMap { try block(kCCEncrypt, $0) }
        case kCCModeCBC: try chained(message, iv)
        case kCCModeCFB: try feedback(message, iv)
        case kCCModeCFB8: try bytewiseFeedback(message, iv)
        case kCCModeOFB: try outputFeedback(message, iv)
        default: try counted(message, iv)
        }
    }

    private func chained(_ message: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
        var (chain, output) = (iv, [UInt8]())
        for part in message.blocks(cipher.block) {
            chain = try block(kCCEncrypt, zip(part, chain).map(^))
            output += chain
        }
        return output
    }

    private func feedback(_ message: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
        var (chain, output) = (iv, [UInt8]())
        for part in message.blocks(cipher.block) {
            chain = zip(part, try block(kCCEncrypt, chain)).map(^)
            output += chain
        }
        return output
    }

    private func bytewiseFeedback(_ message: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
        var (register, output) = (iv, [UInt8]())
        for byte in message {
            let given = try block(kCCEncrypt, register)[0] ^ byte
            register = register.dropFirst() + [given]
            output.append(given)
        }
        return output
    }

    private func outputFeedback(_ message: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
        var (chain, output) = (iv, [UInt8]())
        for part in message.blocks(cipher.block) {
            chain = try block(kCCEncrypt, chain)
            output += zip(part, chain).map(^)
        }
        return output
    }

    /// The counter is the last eight bytes.
    private func counted(_ message: [UInt8], _ iv: [UInt8]) throws -> [UInt8] {
        var (counter, output) = (iv, [UInt8]())
        for part in message.blocks(cipher.block) {
            output += zip(part, try block(kCCEncrypt, counter)).map(^)
            for index in counter.indices.suffix(8).reversed() {
                counter[index] &+= 1
                if counter[index] != 0 { break }
            }
        }
        return output
    }
}

extension [UInt8] {
    /// Pieces of that length; the last may be shorter.
    func blocks(_ length: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: length).map { Array(self[$0..<Swift.min($0 + length, count)]) }
    }
}
