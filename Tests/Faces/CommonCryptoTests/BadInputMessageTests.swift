import CommonCrypto
import CommonCryptoSPI
import Testing

/// Answers of cryptors to pieces of a message that they cannot take: the message goes on as if they had not come.
@Suite struct BadInputMessageTests {
    private static let key = [UInt8](1...32)
    private static let huge = Int(bitPattern: UInt.max)

    static let modes: [CipherCall] = {
        let block = [(kCCAlgorithmAES, 16), (kCCAlgorithm3DES, 24), (kCCAlgorithmBlowfish, 9)]
        let modes = [kCCModeECB, kCCModeCBC, kCCModeCFB, kCCModeCFB8, kCCModeCTR, kCCModeOFB]
        return block.flatMap { algorithm, length in
            modes.flatMap { mode in
                [ccNoPadding, ccPKCS7Padding].map { padding in
                    CipherCall(
                        algorithm: algorithm, mode: mode, padding: padding, key: Array(key.prefix(length)),
                        iv: Array(key.suffix(16)))
                }
            }
        } + [CipherCall(algorithm: kCCAlgorithmRC4, mode: kCCModeRC4, key: key)]
    }()

    @Test("pieces of impossible places and lengths are refused and leave the message as it was", arguments: [0, 1, 5])
    func badPieces(_ held: Int) throws {
        for call in Self.modes {
            for operation in [kCCEncrypt, kCCDecrypt] {
                let message = Array(repeating: UInt8(3), count: 48)
                let expected = try call.run(operation, message)
                let answer = try call.withCryptor(operation) { cryptor -> [UInt8] in
                    let output = GuardedBytes(count: 64)
                    var (moved, total) = (0, 0)
                    #expect(CCCryptorUpdate(cryptor, message, held, output.start, 64, &moved) == kCCSuccess)
                    total = moved
                    expectRefusals(by: cryptor, output)
                    let left = Array(message.dropFirst(held))
                    #expect(
                        CCCryptorUpdate(cryptor, left, left.count, output.start + total, 64 - total, &moved)
                            == kCCSuccess)
                    total += moved
                    #expect(CCCryptorFinal(cryptor, output.start + total, 64 - total, &moved) == kCCSuccess)
                    return output.contents(total + moved)
                }
                #expect(answer == expected, "\(call) \(operation)")
            }
        }
    }

    private func expectRefusals(by cryptor: CCCryptorRef, _ output: GuardedBytes) {
        var moved = 77
        // Nothing, from nowhere to nowhere.
        #expect(CCCryptorUpdate(cryptor, nil, 0, nil, 0, &moved) == kCCSuccess && moved == 0)
        #expect(CCCryptorUpdate(cryptor, nil, 0, nil, 0, nil) == kCCSuccess)
        #expect(CCCryptorUpdate(cryptor, nil, 40, output.start, 64, &moved) == kCCParamError)
        #expect(CCCryptorUpdate(cryptor, output.start, 40, nil, 64, nil) == kCCParamError)
        #expect(CCCryptorUpdate(cryptor, output.start, 40, nil, 0, &moved) == kCCBufferTooSmall && moved > 0)
        // One byte too few: the answer says how many are needed.
        let needed = CCCryptorGetOutputLength(cryptor, 40, false)
        #expect(CCCryptorUpdate(cryptor, output.start, 40, output.start, needed - 1, &moved) == kCCBufferTooSmall)
        #expect(moved == needed)
        for length in [Self.huge, Self.huge - 15, Int.max, Int.max - 15, Int.min] {
            // Too long for any room, or for any memory where the room's arithmetic wraps around.
            let status = CCCryptorUpdate(cryptor, output.start, length, output.start, 64, &moved)
            #expect(status == kCCBufferTooSmall || status == kCCParamError, "\(length)")
            #expect(
                CCCryptorUpdate(cryptor, output.start, length, output.start, Self.huge, nil) == kCCParamError,
                "\(length)")
        }
    }

    @Test("the last block needs its room, and may be asked for again") func tooSmallFinal() throws {
        for call in Self.modes where call.padding == ccPKCS7Padding && [kCCModeECB, kCCModeCBC].contains(call.mode) {
            let message = Array(repeating: UInt8(3), count: 37)
            let sealed = try call.encrypt(message)
            try call.withCryptor(kCCEncrypt) { cryptor in
                let output = GuardedBytes(count: sealed.count)
                var (moved, total) = (0, 0)
                #expect(CCCryptorUpdate(cryptor, message, 37, output.start, sealed.count, &total) == kCCSuccess)
                let needed = sealed.count - total
                #expect(CCCryptorFinal(cryptor, output.start + total, needed - 1, &moved) == kCCBufferTooSmall)
                #expect(CCCryptorFinal(cryptor, nil, 0, nil) == kCCBufferTooSmall)
                #expect(CCCryptorFinal(cryptor, output.start + total, needed, &moved) == kCCSuccess)
                #expect(moved == needed && output.contents(sealed.count) == sealed)
            }
            try call.withCryptor(kCCDecrypt) { cryptor in
                let output = GuardedBytes(count: message.count)
                var (moved, total) = (0, 0)
                #expect(
                    CCCryptorUpdate(cryptor, sealed, sealed.count, output.start, message.count, &total) == kCCSuccess)
                let needed = message.count - total
                #expect(CCCryptorFinal(cryptor, output.start + total, needed - 1, &moved) == kCCBufferTooSmall)
                #expect(CCCryptorFinal(cryptor, output.start + total, needed, &moved) == kCCSuccess)
                #expect(moved == needed && output.contents(message.count) == message)
            }
        }
    }

    @Test("a message that fills no block is an alignment error, by pieces and at once") func unaligned() throws {
        let refusal = CipherCall.Refusal(status: CCCryptorStatus(kCCAlignmentError))
        for call in Self.modes where [kCCModeECB, kCCModeCBC].contains(call.mode) {
            for operation in [kCCEncrypt, kCCDecrypt] where operation == kCCDecrypt || call.padding == ccNoPadding {
                for length in [1, 7, 15, 33] {
                    let message = Array(repeating: UInt8(3), count: length)
                    #expect(throws: refusal) { try call.run(operation, message) }
                    #expect(throws: refusal) { try call.oneShot(operation, message) }
                }
            }
        }
    }

    @Test("a message at once needs its room to the byte, and says how much") func oneShot() throws {
        let output = GuardedBytes(count: 64)
        func crypt(
            _ operation: Int, _ options: Int, _ input: UnsafeRawPointer?, _ length: Int,
            _ to: UnsafeMutableRawPointer?, _ room: Int, _ moved: UnsafeMutablePointer<Int>?
        ) -> CCCryptorStatus {
            CCCrypt(
                CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(options), Self.key, 16, nil, input,
                length, to, room, moved)
        }
        let padded = kCCOptionPKCS7Padding
        var moved = 0
        #expect(crypt(kCCEncrypt, padded, Self.key, 32, output.start, 47, &moved) == kCCBufferTooSmall && moved == 48)
        #expect(crypt(kCCEncrypt, padded, Self.key, 32, output.start, 47, nil) == kCCBufferTooSmall)
        #expect(crypt(kCCEncrypt, padded, Self.key, 32, output.start, 48, nil) == kCCSuccess)
        #expect(crypt(kCCDecrypt, padded, output.start, 48, output.start, 47, &moved) == kCCBufferTooSmall)
        #expect(moved == 48)
        #expect(crypt(kCCDecrypt, padded, output.start, 48, output.start, 48, &moved) == kCCSuccess && moved == 32)
        #expect(output.contents(32) == Self.key)
        #expect(crypt(kCCEncrypt, 0, nil, 0, nil, 0, &moved) == kCCSuccess && moved == 0)
        #expect(crypt(kCCEncrypt, padded, nil, 0, output.start, 16, &moved) == kCCSuccess && moved == 16)
        #expect(crypt(kCCEncrypt, padded, nil, 0, nil, 16, nil) == kCCParamError)
        #expect(crypt(kCCEncrypt, 0, nil, 32, output.start, 64, nil) == kCCParamError)
        #expect(crypt(kCCEncrypt, 0, Self.key, 32, nil, 64, nil) == kCCParamError)
        for length in [Self.huge, Self.huge - 15, Int.max, Int.min] {
            for options in [0, padded, kCCOptionECBMode, padded | kCCOptionECBMode] {
                for operation in [kCCEncrypt, kCCDecrypt] {
                    let status = crypt(operation, options, output.start, length, output.start, 64, &moved)
                    #expect(status == kCCBufferTooSmall || status == kCCParamError, "\(length)")
                    #expect(
                        crypt(operation, options, output.start, length, output.start, Self.huge, nil) == kCCParamError,
                        "\(length)")
                }
            }
        }
        #expect(crypt(kCCEncrypt, padded, Self.key, 32, output.start, Self.huge, &moved) == kCCSuccess && moved == 48)
        #expect(output.isIntactBefore)
    }

    @Test("an output that lies over the input, before it or behind it, is what it is elsewhere") func overlapping()
        throws
    {
        let shifts = [-33, -17, -16, -9, -8, -7, -1, 0, 1, 7, 8, 9, 15, 16, 17, 33]
        for call in Self.modes {
            for operation in [kCCEncrypt, kCCDecrypt] {
                let message = (0..<96).map { UInt8(truncatingIfNeeded: $0 &* 37) }
                let expected = try call.run(operation, message)
                for shift in shifts {
                    for first in [0, 5, 16, 96] {
                        let answer = try overlapped(call, operation, message, shift: shift, first: first)
                        #expect(answer == expected, "\(call) \(operation) shift \(shift), first \(first)")
                    }
                    guard [kCCModeECB, kCCModeCBC, kCCModeRC4].contains(call.mode) else { continue }
                    let answer = try overlapped(call, operation, message, shift: shift)
                    #expect(answer == expected, "\(call) \(operation) shift \(shift)")
                }
            }
        }
    }

    /// In one piece of memory, the output so many bytes behind the input: in two pieces, of which the first goes elsewhere,
    /// so that something may be held.
    private func overlapped(
        _ call: CipherCall, _ operation: Int, _ message: [UInt8], shift: Int, first: Int
    ) throws -> [UInt8] {
        try call.withCryptor(operation) { cryptor in
            let memory = GuardedBytes(count: 256)
            let (input, elsewhere) = (memory.start + 64, GuardedBytes(count: 96))
            input.copyMemory(from: message, byteCount: message.count)
            var moved = 0
            try #require(CCCryptorUpdate(cryptor, input, first, elsewhere.start, 96, &moved) == kCCSuccess)
            var answer = elsewhere.contents(moved)
            let output = input + first + shift
            try #require(
                CCCryptorUpdate(cryptor, input + first, message.count - first, output, 120, &moved) == kCCSuccess)
            answer += Array(UnsafeRawBufferPointer(start: output, count: moved))
            try #require(CCCryptorFinal(cryptor, output, 120, &moved) == kCCSuccess)
            return answer + Array(UnsafeRawBufferPointer(start: output, count: moved))
        }
    }

    private func overlapped(_ call: CipherCall, _ operation: Int, _ message: [UInt8], shift: Int) throws -> [UInt8] {
        let memory = GuardedBytes(count: 256)
        let input = memory.start + 64
        input.copyMemory(from: message, byteCount: message.count)
        let options =
            (call.mode == kCCModeECB ? kCCOptionECBMode : 0)
            | (call.padding == ccPKCS7Padding ? kCCOptionPKCS7Padding : 0)
        var moved = 0
        try #require(
            CCCrypt(
                CCOperation(operation), CCAlgorithm(call.algorithm), CCOptions(options), call.key, call.key.count,
                call.iv, input, message.count, input + shift, 120, &moved) == kCCSuccess)
        return Array(UnsafeRawBufferPointer(start: input + shift, count: moved))
    }

    @Test("starting over is for CBC and CTR, finished or not") func reset() throws {
        for call in Self.modes {
            try call.withCryptor(kCCEncrypt) { cryptor in
                let isPossible = [kCCModeCBC, kCCModeCTR].contains(call.mode)
                let output = GuardedBytes(count: 64)
                var moved = 0
                let message = Array(Self.key.prefix(24))
                #expect(CCCryptorUpdate(cryptor, message, 5, output.start, 64, &moved) == kCCSuccess)
                for _ in 0..<2 {
                    #expect(CCCryptorReset(cryptor, call.iv) == (isPossible ? kCCSuccess : kCCUnimplemented))
                    guard isPossible else { break }
                    #expect(CCCryptorUpdate(cryptor, message, 24, output.start, 64, &moved) == kCCSuccess)
                    let again = try call.withCryptor(kCCEncrypt) { fresh in
                        let other = GuardedBytes(count: 64)
                        var count = 0
                        #expect(CCCryptorUpdate(fresh, message, 24, other.start, 64, &count) == kCCSuccess)
                        return other.contents(count)
                    }
                    #expect(output.contents(moved) == again)
                    _ = CCCryptorFinal(cryptor, output.start, 64, &moved)
                }
                #expect(CCCryptorReset_binary_compatibility(cryptor, nil) == kCCSuccess)
            }
        }
    }
}
