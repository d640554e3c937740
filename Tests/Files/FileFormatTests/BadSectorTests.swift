import Foundation
import LatchkeyFileFormat
import Testing

/// Sectors that the disk refuses to read.
@Suite struct BadSectorTests {
    private static let old = Sample.bytes(100 * Sample.block, seed: 1)

    /// A synchronized file of 100 blocks and 2 leaves.
    private static func sample() throws -> FaultyBacking {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write(old, at: 0)
        try file.synchronize(.full)
        file.close()
        return backing
    }

    @Test("a file with an unreadable node can be checked, written elsewhere, and emptied", arguments: [0, 1])
    func node(distanceFromRoot: Int) throws {
        let backing = try Self.sample()
        let root = try #require(Layout.rootPosition(in: backing))
        backing.badPositions = [root - distanceFromRoot]
        let file = try ProtectedFile.opened(backing)
        let damaged = try file.check().damaged
        // The root, or the last leaf.
        let first = distanceFromRoot == 0 ? 0 : UInt64(85 * Sample.block)
        #expect(damaged == [first..<UInt64(Self.old.count)])
        if distanceFromRoot > 0 { try file.write(Sample.bytes(Sample.block), at: 0) }
        try file.changeProtection(to: 1, wrappedKey: Sample.strict)
        try file.truncate(to: 0)
        try file.write([1, 2, 3], at: 0)
        try file.synchronize(.full)
        file.close()
        let again = try ProtectedFile.opened(backing)
        #expect(try again.contents == [1, 2, 3])
        #expect(try again.check().isIntact)
    }

    /// A position of the backing that holds a block of the file, and where in the file that is.
    private static func unreadableBlock(_ backing: FaultyBacking) throws -> Int {
        backing.badPositions = [20]
        let damaged = try ProtectedFile.opened(backing, access: .readOnly).check().damaged
        try #require(damaged.count == 1 && damaged[0].count == Sample.block)
        return Int(damaged[0].lowerBound)
    }

    @Test("a block of a log that is overwritten whole, in parts from its start, is never read")
    func overwrittenInOrder() throws {
        let backing = try Self.sample()
        let start = try Self.unreadableBlock(backing)
        let file = try ProtectedFile.opened(backing)
        file.isLog = true
        var expected = Self.old
        for (offset, count) in [(0, 24), (10, 500), (510, 3000), (3510, 586)] {
            let part = Sample.bytes(count, seed: UInt64(offset))
            try file.write(part, at: UInt64(start + offset))
            expected.replaceSubrange(start + offset..<start + offset + count, with: part)
        }
        #expect(try file.contents == expected)
        try file.synchronize(.full)
        file.close()
        #expect(try ProtectedFile.opened(backing).contents == expected)
    }

    @Test("what was written of a log's block whose rest cannot be read waits for it, and nothing is lost")
    func unreadableRest() throws {
        let backing = try Self.sample()
        let start = try Self.unreadableBlock(backing)
        let file = try ProtectedFile.opened(backing)
        file.isLog = true
        try file.write([1, 2, 3], at: UInt64(start))
        try file.write([4, 5, 6], at: 0)
        #expect(throws: FileFailure.self) { try file.bytes(at: UInt64(start), count: 4) }
        #expect(throws: FileFailure.self) { try file.write([7], at: UInt64(start + 100)) }
        #expect(throws: FileFailure.self) { try file.truncate(to: UInt64(start + 200)) }
        for _ in 0..<2 { #expect(throws: FileFailure.self) { try file.synchronize(.full) } }
        backing.badPositions = []
        try file.synchronize(.full)
        file.close()
        var expected = [4, 5, 6] + Self.old.dropFirst(3)
        expected.replaceSubrange(start..<start + 3, with: [1, 2, 3])
        #expect(try ProtectedFile.opened(backing).contents == expected)
    }

    @Test("an unreadable sector brings back no earlier state, and does not prevent opening")
    func flushed() throws {
        let backing = try Self.sample()
        let file = try ProtectedFile.opened(backing)
        try file.write(Sample.bytes(Sample.block, seed: 3), at: UInt64(10 * Sample.block))
        try file.flush()
        let flushed = try file.contents
        file.close()
        for position in 2..<backing.cached.count / Sample.block {
            backing.badPositions = [position]
            let file = try ProtectedFile.opened(backing, access: .readOnly)
            let damaged = try file.check().damaged
            for start in stride(from: 0, to: flushed.count, by: Sample.block) {
                guard !damaged.contains(where: { $0.contains(UInt64(start)) }) else { continue }
                let isFlushed = try file.bytes(at: UInt64(start), count: 20) == Array(flushed[start..<start + 20])
                try #require(isFlushed, "position \(position), byte \(start)")
            }
        }
        // The tree of the flushed header does not have all positions of the settled one.
        backing.badPositions = []
        let isFlushed = try ProtectedFile.opened(backing).contents == flushed
        #expect(isFlushed)
    }

    @Test("a file in doubt with an unreadable sector opens for writing") func inDoubt() throws {
        let backing = try Self.sample()
        let file = try ProtectedFile.opened(backing)
        try file.write([1], at: 0)
        backing.losesPages = true
        #expect(throws: FileFailure.backing(.system(EIO))) { try file.synchronize(.full) }
        file.close()
        backing.losesPages = false
        let disk = backing.cached
        for position in 2..<disk.count / Sample.block {
            let backing = FaultyBacking(disk)
            backing.badPositions = [position]
            let file = try ProtectedFile.opened(backing)
            try file.truncate(to: 0)
            try file.synchronize(.full)
        }
    }
}
