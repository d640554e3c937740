import Testing

@testable import LatchkeyFileFormat

@Suite struct ForgedFileTests {
    @Test("a position at the end of all numbers is damage, with neighbours too")
    func lastPosition() throws {
        var forged = ForgedFile()
        let root = forged.node([.init(position: .max), .init(position: 0), .init(position: 5)], level: 1)
        forged.header(length: 3 * Sample.block, extent: 10, depth: 1, root: root)
        let file = try ProtectedFile.opened(FaultyBacking(forged.disk), access: .readOnly)
        #expect(throws: FileFailure.damaged(0..<UInt64(Sample.block))) { try file.contents }
    }

    @Test("positions far behind the end of the backing take no memory") func scatteredPositions() throws {
        var forged = ForgedFile()
        var next: UInt64 = 1000
        let leaves = (0..<85).map { _ in
            let references = (0..<85).map { _ in
                next += 32768
                return ForgedFile.Reference(position: next)
            }
            return forged.node(references, level: 1)
        }
        let root = forged.node(leaves, level: 2)
        forged.header(length: 85 * 85 * Sample.block, extent: 1 << 37, depth: 2, root: root)
        let backing = FaultyBacking(forged.disk)
        let file = try ProtectedFile.opened(backing)
        let reads = backing.reads
        #expect(try file.check().damaged == [0..<UInt64(85 * 85 * Sample.block)])
        #expect(backing.reads - reads < 200)

        let header = try #require(try HeaderCopies.read(from: backing).copies[0].header)
        let keys = FileKeys(fileKey: Sample.key, identifier: header.identifier, entropy: SeededEntropy(seed: 1))
        let store = BlockStore(backing: backing, keys: keys, positions: BlockPositions(extent: header.extent))
        var scan = try TreeScan(store: store)
        try scan.hold(header, isOlder: false)
        // The root and its nodes.
        #expect(store.positions.usedCount == 86)
    }
}
