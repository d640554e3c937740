import Testing

@testable import LatchkeyFileFormat

@Suite struct BlockPositionsTests {
    @Test("overwriting a block looks for no free position in the rest of a large file") func overwriting() throws {
        let blocks: UInt64 = 1 << 18
        var positions = BlockPositions(extent: blocks)
        for position in 2..<blocks { _ = positions.hold(position, isOlder: false) }
        let first = positions.take()
        var latest = try #require(first)
        for _ in 0..<100 {
            let next = positions.take()
            positions.release(latest, isOwn: true)
            #expect(positions.cursor == latest, "the next search begins with what became free")
            latest = try #require(next)
        }
        #expect(positions.end <= blocks + 2)
    }
}
