import Testing

@testable import LatchkeyFileFormat

@Suite struct LogTests {
    /// As SQLite writes frames: a page, and 24 bytes before it.
    private static let frameByteCount = 4120

    @Test(
        "megabytes of a log are read again without the backing, of another file a quarter of one",
        arguments: [true, false])
    func rereading(isLog: Bool) throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        file.isLog = isLog
        let frames = (0..<400).map { Sample.bytes(Self.frameByteCount, seed: $0) }
        for (index, frame) in frames.enumerated() {
            try file.write(Array(frame.prefix(24)), at: UInt64(index * Self.frameByteCount))
            try file.write(Array(frame.dropFirst(24)), at: UInt64(index * Self.frameByteCount + 24))
            if index % 10 == 9 { try file.synchronize(.full) }
        }
        let before = backing.reads
        for index in frames.indices.reversed() {
            let found = try file.bytes(at: UInt64(index * Self.frameByteCount), count: Self.frameByteCount)
            #expect(found == frames[index])
        }
        #expect((backing.reads == before) == isLog)
    }

    @Test("a file that is no longer a log keeps no more in memory than others") func noLongerLog() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        file.isLog = true
        let content = Sample.bytes(400 * Sample.block)
        try file.write(content, at: 0)
        for block in 0..<400 { _ = try file.bytes(at: UInt64(block * Sample.block), count: 1) }
        file.isLog = false
        _ = try file.bytes(at: UInt64(399 * Sample.block), count: 1)
        // Makes room.
        try file.write([1], at: 1)
        let before = backing.reads
        for block in 0..<400 { _ = try file.bytes(at: UInt64(block * Sample.block), count: 1) }
        #expect(backing.reads > before)
    }
}
