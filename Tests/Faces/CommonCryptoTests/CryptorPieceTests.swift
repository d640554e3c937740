import CommonCrypto
import CommonCryptoSPI
import LatchkeyTestSupport
import Testing

/// The same message however it comes, and wherever its output goes.
@Suite struct CryptorPieceTests {
    static func calls() -> [(call: CipherCall, isWholeBlocks: Bool)] {
        TestedCipher.all.flatMap { cipher -> [(CipherCall, Bool)] in
            var modes = [(kCCModeRC4, ccNoPadding)]
            if cipher.algorithm != kCCAlgorithmRC4 {
                modes =
                    TestedCipher.streamingModes.map { ($0, ccNoPadding) }
                    + TestedCipher.blockModes.flatMap { [($0, ccNoPadding), ($0, ccPKCS7Padding)] }
                    + [(kCCModeCBC, ccCBCCTS3)]
            }
            return modes.map { mode, padding in
                let call = CipherCall(
                    algorithm: cipher.algorithm, mode: mode, padding: padding,
                    key: TestedCipher.bytes(cipher.keyLengths[0]), iv: TestedCipher.bytes(cipher.block, from: 77))
                return (call, TestedCipher.blockModes.contains(mode) && padding == ccNoPadding)
            }
        }
    }

    @Test("pieces of any length give what the whole gives, both ways")
    func pieces() throws {
        var numbers = SplitMix(seed: 6)
        for (call, isWholeBlocks) in Self.calls() {
            for _ in 0..<6 {
                var count = Int.random(in: 33...150, using: &numbers)
                if isWholeBlocks { count = count / 16 * 16 }
                let message = (0..<count).map { _ in UInt8.random(in: 0...255, using: &numbers) }
                let ciphertext = try call.encrypt(message)
                let pieces = (0..<12).map { _ in Int.random(in: 0...40, using: &numbers) }
                let what = "algorithm \(call.algorithm), mode \(call.mode), padding \(call.padding), pieces \(pieces)"
                #expect(try call.encrypt(message, pieces: pieces) == ciphertext, "\(what)")
                #expect(try call.decrypt(ciphertext, pieces: pieces) == message, "\(what)")
                #expect(try call.decrypt(ciphertext) == message, "\(what)")
            }
        }
    }

    @Test("output over input, at any distance, is what it is elsewhere, in pieces too")
    func overlappingPieces() throws {
        var numbers = SplitMix(seed: 7)
        for (call, _) in Self.calls() {
            let message = TestedCipher.bytes(96, from: 11)
            for operation in [kCCEncrypt, kCCDecrypt] {
                let input = operation == kCCEncrypt ? message : try call.encrypt(message)
                let expected = try call.run(operation, input)
                for distance in [0, 0, 1, -1, 7, 8, -8, 16, -16, 31, -31, 64, -95] {
                    let lengths = (0..<8).map { _ in Int.random(in: 0...40, using: &numbers) }
                    let given = try Self.overlapping(call, operation, input, lengths, distance)
                    guard given != expected else { continue }
                    let cipher = "algorithm \(call.algorithm), mode \(call.mode), padding \(call.padding)"
                    Issue.record("\(cipher), operation \(operation), distance \(distance)")
                }
            }
        }
    }

    /// Each piece lies in memory of its own, where its output overlaps it.
    private static func overlapping(
        _ call: CipherCall, _ operation: Int, _ input: [UInt8], _ lengths: [Int], _ distance: Int
    ) throws -> [UInt8] {
        try call.withCryptor(operation) { cryptor in
            var (result, position, moved) = ([UInt8](), 0, 0)
            for length in lengths + [input.count] {
                let piece = Array(input[position..<min(position + length, input.count)])
                position += piece.count
                var memory = [UInt8](repeating: 0xEE, count: 400)
                memory.replaceSubrange(128..<128 + piece.count, with: piece)
                let room = CCCryptorGetOutputLength(cryptor, piece.count, false)
                try memory.withUnsafeMutableBytes { memory in
                    let start = try #require(memory.baseAddress) + 128
                    try #require(
                        CCCryptorUpdate(cryptor, start, piece.count, start + distance, room, &moved) == kCCSuccess)
                }
                result += memory[(128 + distance)..<(128 + distance + moved)]
            }
            var last = [UInt8](repeating: 0, count: 32)
            try #require(CCCryptorFinal(cryptor, &last, 32, &moved) == kCCSuccess)
            return result + last.prefix(moved)
        }
    }

    @Test("one call may write over its input, at any distance")
    func overlappingOneShot() throws {
        for cipher in TestedCipher.all {
            for options in [0, kCCOptionPKCS7Padding, kCCOptionECBMode, kCCOptionECBMode | kCCOptionPKCS7Padding] {
                let call = CipherCall(
                    algorithm: cipher.algorithm, mode: options & kCCOptionECBMode == 0 ? kCCModeCBC : kCCModeECB,
                    padding: options & kCCOptionPKCS7Padding, key: TestedCipher.bytes(cipher.keyLengths[0]))
                let message = TestedCipher.bytes(options & kCCOptionPKCS7Padding == 0 ? 64 : 61)
                for operation in [kCCEncrypt, kCCDecrypt] {
                    let input = operation == kCCEncrypt ? message : try call.oneShot(kCCEncrypt, message)
                    let expected = try call.oneShot(operation, input)
                    for distance in -64...64 {
                        var (memory, moved) = ([UInt8](repeating: 0xEE, count: 280), 0)
                        memory.replaceSubrange(100..<100 + input.count, with: input)
                        let status = memory.withUnsafeMutableBytes { memory -> CCCryptorStatus in
                            guard let start = memory.baseAddress else { return CCCryptorStatus(kCCMemoryFailure) }
                            return CCCrypt(
                                CCOperation(operation), CCAlgorithm(cipher.algorithm), CCOptions(options), call.key,
                                call.key.count, nil, start + 100, input.count, start + 100 + distance, 80, &moved)
                        }
                        let given = Array(memory[(100 + distance)..<(100 + distance + moved)])
                        guard status != kCCSuccess || given != expected else { continue }
                        Issue.record("\(cipher), options \(options), operation \(operation), distance \(distance)")
                    }
                }
            }
        }
    }

    @Test("keys and vectors need no alignment")
    func unaligned() throws {
        for (call, _) in Self.calls() {
            let message = TestedCipher.bytes(48)
            let expected = try call.encrypt(message)
            let key = [0] + call.key
            let iv = [0] + (call.iv ?? [])
            var cryptor: CCCryptorRef?
            key.withUnsafeBytes { key in
                iv.withUnsafeBytes { iv in
                    _ = CCCryptorCreateWithMode(
                        0, CCMode(call.mode), CCAlgorithm(call.algorithm), CCPadding(call.padding),
                        iv.baseAddress.map { $0 + 1 }, key.baseAddress.map { $0 + 1 }, key.count - 1, nil, 0, 0, 0,
                        &cryptor)
                }
            }
            defer { CCCryptorRelease(cryptor) }
            var (output, moved, last) = ([UInt8](repeating: 0, count: 80), 0, 0)
            #expect(CCCryptorUpdate(cryptor, message, 48, &output, 80, &moved) == kCCSuccess)
            output.withUnsafeMutableBytes {
                #expect(
                    CCCryptorFinal(cryptor, $0.baseAddress.map { $0 + moved }, 80 - moved, &last) == kCCSuccess)
            }
            #expect(Array(output.prefix(moved + last)) == expected)
        }
    }
}
