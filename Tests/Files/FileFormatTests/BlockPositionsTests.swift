import Testing

@testable import LatchkeyFileFormat

@Suite struct BlockPositionsTests {
    /// Overwrites one block again and again in a file of so many blocks.
    private static func overwriting(blocks: UInt64) -> Duration {
        var positions = BlockPositions(extent: blocks)
        for position in 2..<blocks { _ = positions.hold(position, isOlder: false) }
        var latest = positions.take()
        return ContinuousClock().measure {
            for _ in 0..<1000 {
                let next = positions.take()
                if let latest { positions.release(latest, isOwn: true) }
                latest = next
            }
        }
    }

    @Test("overwriting a block costs the same in a large file") func overwriting() {
        let small = Self.overwriting(blocks: 100)
        // 4096 words of a set, each of which would be looked at.
        let large = Self.overwriting(blocks: 1 << 18)
        #expect(large < small * 10 + .milliseconds(20))
    }
}
