import Testing

@testable import LatchkeyFileFormat

@Suite struct PositionSetTests {
    private struct Numbers {
        var state: UInt64

        /// Small numbers mostly, and such as lie in the second and third piece.
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            switch state >> 62 {
            case 0: return state % 600
            case 1: return 32_768 - 64 + state % 128
            case 2: return state % 70_000
            default: return state % 3000
            }
        }
    }

    @Test("it has what a set of numbers has, however far its pieces grew", arguments: [1, 2, 3] as [UInt64])
    func shadow(seed: UInt64) {
        var numbers = Numbers(state: seed &* 0x9E37_79B9_7F4A_7C15)
        var (set, other) = (PositionSet(), PositionSet())
        var (shadow, otherShadow): (Set<UInt64>, Set<UInt64>) = ([], [])
        for step in 0..<4000 {
            let number = numbers.next()
            switch step % 5 {
            case 0, 1: #expect(set.insert(number) == shadow.insert(number).inserted)
            case 2: #expect(other.insert(number) == otherShadow.insert(number).inserted)
            case 3: #expect(set.remove(number) == (shadow.remove(number) != nil))
            default:
                #expect(set.contains(number) == shadow.contains(number))
                let range = number..<number + 700
                #expect(set.firstAbsent(in: range) == range.first { !shadow.contains($0) })
            }
            #expect(set.count == UInt64(shadow.count))
            if step % 50 == 0 { #expect(set.last == shadow.max()) }
            if step % 1000 == 999 {
                set.subtract(other)
                shadow.subtract(otherShadow)
                #expect(set.count == UInt64(shadow.count) && set.last == shadow.max())
            }
        }
    }
}
