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
