import CommonCrypto
import Testing

@Suite struct KeyWrapTests {
    /// RFC 3394, section 4: keys of 16, 24 and 32 bytes under keys of at least their length.
    static let answers: [(wrappingByteCount: Int, keyByteCount: Int, wrapped: String)] = [
        (16, 16, "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"),
        (24, 16, "96778b25ae6ca435f92b5b97c050aed2468ab8a17ad84e5d"),
        (32, 16, "64e8c3f9ce0f5ba263e9777905818a2a93c8191e7d6e8ae7"),
        (24, 24, "031d33264e15d33268f24ec260743edce1c6c7ddee725a936ba814915c6762d2"),
        (32, 24, "a8f9bc1612c68b3ff6e6f4fbe30e71e4769c8b80a32cb8958cd5d17d6b254da1"),
        (32, 32, "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"),
    ]

    private static let kek = (0..<32).map(UInt8.init)
    private static let key = octets("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f")
    private static let otherValue: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]

    @Test("wrapped keys are those of RFC 3394, and unwrap") func standards() {
        for (wrappingByteCount, keyByteCount, answer) in Self.answers {
            let kek = Array(Self.kek.prefix(wrappingByteCount))
            let key = Array(Self.key.prefix(keyByteCount))
            let wrapped = wrap(key, kek)
            #expect(wrapped.status == kCCSuccess)
            #expect(hexadecimal(wrapped.bytes) == answer)
            #expect(unwrap(wrapped.bytes, kek) == Outcome(kCCSuccess, key))
        }
    }

    @Test("the standard initial value is data: eight bytes A6") func initialValue() {
        #expect(CCrfc3394_ivLen == 8)
        #expect(
            Array(UnsafeBufferPointer(start: CCrfc3394_iv, count: CCrfc3394_ivLen)) == Array(repeating: 0xA6, count: 8))
        let standard = Array(UnsafeBufferPointer(start: CCrfc3394_iv, count: 8))
        #expect(wrap(Self.key, Self.kek, iv: standard) == wrap(Self.key, Self.kek))
    }

    @Test("a key under another initial value unwraps with that one; the standard one always unwraps its own")
    func otherValues() {
        let wrapped = wrap(Self.key, Self.kek, iv: Self.otherValue).bytes
        #expect(wrapped != wrap(Self.key, Self.kek).bytes)
        #expect(unwrap(wrapped, Self.kek, iv: Self.otherValue) == Outcome(kCCSuccess, Self.key))
        #expect(unwrap(wrapped, Self.kek) == Outcome(kCCDecodeError, []))
        #expect(unwrap(wrapped, Self.kek, iv: [8, 7, 6, 5, 4, 3, 2, 1]) == Outcome(kCCDecodeError, []))
        let standard = wrap(Self.key, Self.kek).bytes
        #expect(unwrap(standard, Self.kek, iv: Self.otherValue) == Outcome(kCCSuccess, Self.key))
    }

    @Test("any altered or cut wrapped key is refused, and the output is wiped") func damage() {
        let wrapped = wrap(Self.key, Self.kek).bytes
        for index in wrapped.indices {
            for bit in 0..<8 {
                var damaged = wrapped
                damaged[index] ^= 1 << bit
                #expect(unwrap(damaged, Self.kek) == Outcome(kCCDecodeError, []))
            }
        }
        for count in 0..<wrapped.count {
            #expect(unwrap(Array(wrapped.prefix(count)), Self.kek) == Outcome(kCCDecodeError, []))
        }
        var other = Self.kek
        other[31] ^= 1
        var output = [UInt8](repeating: 0xEE, count: 33)
        var count = 33
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, other, 32, wrapped, 40, &output, &count) == kCCDecodeError)
        #expect(count == 0)
        #expect(output == [UInt8](repeating: 0, count: 32) + [0xEE])
    }

    @Test("lengths that key wrap does not have are refused") func lengths() {
        for count in [0, 8, 15, 17, 20] {
            #expect(wrap([UInt8](repeating: 1, count: count), Self.kek) == Outcome(kCCParamError, []))
        }
        for count in [0, 8, 15, 17, 31] {
            #expect(wrap(Self.key, Array(Self.kek.prefix(count))) == Outcome(kCCParamError, []))
            #expect(unwrap(wrap(Self.key, Self.kek).bytes, Array(Self.kek.prefix(count))) == Outcome(kCCParamError, []))
        }
        let short = [UInt8](repeating: 0xA6, count: 7)
        #expect(wrap(Self.key, Self.kek, iv: short) == Outcome(kCCParamError, []))
        #expect(unwrap(wrap(Self.key, Self.kek).bytes, Self.kek, iv: short) == Outcome(kCCParamError, []))
        for count in stride(from: 16, through: 1024, by: 8) {
            let key = (0..<count).map { UInt8($0 % 256) }
            #expect(unwrap(wrap(key, Self.kek).bytes, Self.kek).bytes == key)
        }
    }

    @Test("too little room is kCCParamError, and what room there is gets wiped when wrapping") func room() {
        var output = [UInt8](repeating: 0xEE, count: 64)
        var count = 39
        #expect(CCSymmetricKeyWrap(1, nil, 0, Self.kek, 32, Self.key, 32, &output, &count) == kCCParamError)
        #expect(count == 0)
        #expect(output == [UInt8](repeating: 0, count: 39) + [UInt8](repeating: 0xEE, count: 25))
        output = [UInt8](repeating: 0xEE, count: 64)
        let wrapped = wrap(Self.key, Self.kek).bytes
        count = 31
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, Self.kek, 32, wrapped, 40, &output, &count) == kCCParamError)
        #expect(count == 0)
        #expect(output == [UInt8](repeating: 0xEE, count: 64))
        // SIZE_MAX: more than enough.
        count = -1
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, Self.kek, 32, wrapped, 40, &output, &count) == kCCSuccess)
        #expect(count == 32)
    }

    @Test("null pointers are kCCParamError") func nothing() {
        let wrapped = wrap(Self.key, Self.kek).bytes
        var output = [UInt8](repeating: 0xEE, count: 40)
        var count = 40
        let wrong = CInt(kCCParamError)
        #expect(CCSymmetricKeyWrap(1, nil, 0, nil, 32, Self.key, 32, &output, &count) == wrong)
        count = 40
        #expect(CCSymmetricKeyWrap(1, nil, 0, Self.kek, 32, nil, 32, &output, &count) == wrong)
        count = 40
        #expect(CCSymmetricKeyWrap(1, nil, 0, Self.kek, 32, Self.key, 32, nil, &count) == wrong)
        #expect(count == 0)
        #expect(CCSymmetricKeyWrap(1, nil, 0, Self.kek, 32, Self.key, 32, &output, nil) == wrong)
        count = 40
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, nil, 32, wrapped, 40, &output, &count) == wrong)
        count = 40
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, Self.kek, 32, nil, 40, &output, &count) == wrong)
        count = 40
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, Self.kek, 32, wrapped, 40, nil, &count) == wrong)
        #expect(count == 0)
        #expect(CCSymmetricKeyUnwrap(1, nil, 0, Self.kek, 32, wrapped, 40, &output, nil) == wrong)
    }

    @Test("input and output may overlap", arguments: [0, 1, 7, 8, 9, 20]) func overlap(_ distance: Int) {
        let answer = wrap(Self.key, Self.kek).bytes
        for isForwards in [true, false] {
            let (from, to) = isForwards ? (0, distance) : (distance, 0)
            var memory = [UInt8](repeating: 0, count: 64)
            memory.replaceSubrange(from..<(from + 32), with: Self.key)
            var count = 40
            let wrapped = memory.withUnsafeMutableBufferPointer { memory in
                CCSymmetricKeyWrap(
                    1, nil, 0, Self.kek, 32, memory.baseAddress.map { UnsafePointer($0 + from) }, 32,
                    memory.baseAddress.map { $0 + to }, &count)
            }
            #expect(wrapped == kCCSuccess && count == 40 && Array(memory[to..<(to + 40)]) == answer)
            memory.replaceSubrange(from..<(from + 40), with: answer)
            let unwrapped = memory.withUnsafeMutableBufferPointer { memory in
                CCSymmetricKeyUnwrap(
                    1, Self.otherValue, 9, Self.kek, 32, memory.baseAddress.map { UnsafePointer($0 + from) }, 40,
                    memory.baseAddress.map { $0 + to }, &count)
            }
            #expect(unwrapped == kCCSuccess && count == 32 && Array(memory[to..<(to + 32)]) == Self.key)
        }
    }

    @Test("sizes differ by 8") func sizes() {
        #expect(CCSymmetricWrappedSize(1, 32) == 40)
        #expect(CCSymmetricWrappedSize(1, 0) == 8)
        #expect(CCSymmetricUnwrappedSize(1, 40) == 32)
        #expect(CCSymmetricUnwrappedSize(1, 8) == 0)
        #expect(CCSymmetricUnwrappedSize(1, 7) == 0)
        #expect(CCSymmetricUnwrappedSize(1, 0) == 0)
    }

    private struct Outcome: Equatable {
        let status: Int
        let bytes: [UInt8]

        init(_ status: Int, _ bytes: [UInt8]) {
            self.status = status
            self.bytes = bytes
        }
    }

    private func wrap(_ key: [UInt8], _ kek: [UInt8], iv: [UInt8]? = nil) -> Outcome {
        var output = [UInt8](repeating: 0xEE, count: key.count + 24)
        var count = output.count
        let status = CCSymmetricKeyWrap(
            CCWrappingAlgorithm(kCCWRAPAES), iv, iv?.count ?? 0, kek, kek.count, key, key.count, &output, &count)
        return Outcome(Int(status), Array(output.prefix(count)))
    }

    private func unwrap(_ wrapped: [UInt8], _ kek: [UInt8], iv: [UInt8]? = nil) -> Outcome {
        var output = [UInt8](repeating: 0xEE, count: wrapped.count + 24)
        var count = output.count
        let status = CCSymmetricKeyUnwrap(
            CCWrappingAlgorithm(kCCWRAPAES), iv, iv?.count ?? 0, kek, kek.count, wrapped, wrapped.count, &output,
            &count)
        return Outcome(Int(status), Array(output.prefix(count)))
    }
}
