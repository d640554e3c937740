import CommonCrypto
import CommonCryptoSPI
import Testing

@Suite struct RandomTests {
    @Test("as many bytes as asked for are written, and no more") func counts() {
        for count in [1, 15, 16, 17, 255, 65_535, 65_536, 65_537, 1_000_003] {
            var bytes = [UInt8](repeating: 0, count: count + 16)
            #expect(CCRandomGenerateBytes(&bytes, count) == kCCSuccess)
            #expect(bytes.suffix(16).allSatisfy { $0 == 0 })
            // 16 zeros in a row at the end: 1 in 2^128.
            if count >= 16 { #expect(bytes[(count - 16)..<count].contains { $0 != 0 }) }
        }
    }

    @Test("every byte value is about as frequent as the others, and no two answers are the same") func frequencies() {
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        #expect(CCRandomGenerateBytes(&bytes, bytes.count) == kCCSuccess)
        var counts = [Int](repeating: 0, count: 256)
        for byte in bytes { counts[Int(byte)] += 1 }
        // 4096 is expected, with a standard deviation of 64: ten of them are never seen.
        #expect(counts.allSatisfy { abs($0 - 4096) < 640 })
        let answers = (0..<1000).map { _ in
            var answer = [UInt8](repeating: 0, count: 16)
            CCRandomGenerateBytes(&answer, 16)
            return answer
        }
        #expect(Set(answers).count == 1000)
    }

    @Test("no bytes need no memory, and bytes do") func badInput() {
        var bytes: [UInt8] = [0xEE]
        #expect(CCRandomGenerateBytes(nil, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(&bytes, 0) == kCCSuccess)
        #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
        #expect(CCRandomGenerateBytes(&bytes, -1) == kCCParamError)
        #expect(bytes == [0xEE])
    }

    @Test("random numbers are below their bound, and reach each number below it") func numbers() {
        for bound: UInt64 in [1, 2, 3, 10] {
            var seen = Set<UInt64>()
            for _ in 0..<500 {
                var number: UInt64 = .max
                #expect(CCRandomUniform(bound, &number) == kCCSuccess)
                seen.insert(number)
            }
            #expect(seen == Set(0..<bound))
        }
        var number: UInt64 = 7
        #expect(CCRandomUniform(.max, &number) == kCCSuccess && number < .max)
        #expect(CCRandomUniform(0, &number) == kCCParamError)
        #expect(CCRandomUniform(1, nil) == kCCParamError)
        var bytes = [UInt8](repeating: 0, count: 32)
        #expect(CCRandomCopyBytes(kCCRandomDefault, &bytes, 32) == kCCSuccess)
        #expect(bytes.contains { $0 != 0 })
    }
}
