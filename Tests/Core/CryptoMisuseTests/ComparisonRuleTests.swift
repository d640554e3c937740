import LatchkeyCryptoMisuse
import Testing

@Suite("Rules about comparisons")
struct ComparisonRuleTests {
    @Test("know a code, its beginning, and how it is written as text")
    func codes() {
        var steps = Steps()
        steps.code()
        let digits = [UInt8].code.map { String($0, radix: 16) }.joined()
        #expect(steps.isComparedSecret(.code))
        #expect(steps.isComparedSecret(Array([UInt8].code.prefix(16))))
        #expect(steps.isComparedSecret(Array(digits.utf8)))
        #expect(steps.isComparedSecret(Array(digits.uppercased().utf8)))
        #expect(!steps.isComparedSecret(.random32))
        #expect(!steps.isComparedSecret(Array([UInt8].code.dropFirst())))
        #expect(!steps.isComparedSecret([]))
        #expect(steps.review.secretLengths.isSuperset(of: [10, 12, 16, 32, 43, 44, 64]))
    }

    @Test("know what was decrypted, as a whole, and not what was encrypted")
    func results() {
        var steps = Steps()
        steps.start(.ctr, isEncrypting: false)
        steps.take(.random32)
        steps.give(Array([UInt8].text.prefix(20)))
        steps.give(Array([UInt8].text.dropFirst(20)))
        steps.end()
        #expect(steps.isComparedSecret(.text))
        steps.run(.ctr, iv: .drawn(16, seed: 77), .text, to: .drawn(32, seed: 78))
        #expect(!steps.isComparedSecret(.drawn(32, seed: 78)))
    }

    @Test("leave out what is so short that it is everywhere, and so long that it cannot be guessed")
    func lengths() {
        for (count, isKnown) in [(7, false), (8, true), (4096, true), (4097, false)] {
            var steps = Steps()
            let result = [UInt8].drawn(count, seed: 80)
            steps.run(.ctr, isEncrypting: false, to: result)
            #expect(steps.isComparedSecret(result) == isKnown, "\(count)")
        }
    }
}
