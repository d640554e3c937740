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

    @Test("a reference that was forged gives up no position of another block", arguments: [false, true])
    func forgedRelease(isFlushed: Bool) throws {
        var forged = ForgedFile()
        // Block 0 refers to the position that the next write will take.
        let root = forged.node([.init(position: 3)], level: 1)
        forged.header(length: 2 * Sample.block, extent: 3, depth: 1, root: root)
        let backing = FaultyBacking(forged.disk)
        let file = try ProtectedFile.opened(backing)
        let blocks = (1...4).map { Sample.bytes(Sample.block, seed: $0) }
        try file.write(blocks[1], at: UInt64(Sample.block))
        if isFlushed { try file.flush() }
        try file.write(blocks[0], at: 0)
        if isFlushed { try file.synchronize(.full) }
        for index in 2...3 { try file.write(blocks[index], at: UInt64(index * Sample.block)) }
        try file.synchronize(.full)
        file.close()
        let again = try ProtectedFile.opened(backing)
        #expect(try again.check().isIntact)
        let isSame = try again.contents == blocks.flatMap { $0 }
        #expect(isSame)
    }

    @Test("the last generation is the last header that is written", arguments: [1, 2] as [UInt64])
    func lastGeneration(rest: UInt64) throws {
        var forged = ForgedFile()
        forged.header(generation: (1 << 62) - rest, length: 0, extent: 2, depth: 0, root: .hole)
        let backing = FaultyBacking(forged.disk)
        let file = try ProtectedFile.opened(backing)
        var acknowledged: [UInt8] = []
        for byte in 1...2 as ClosedRange<UInt8> {
            try file.write([byte], at: UInt64(acknowledged.count))
            guard acknowledged.count + 1 < rest else {
                #expect(throws: FileFailure.tooLarge) { try file.synchronize(.full) }
                break
            }
            try file.synchronize(.full)
            acknowledged.append(byte)
        }
        file.close()
        #expect(try ProtectedFile.opened(backing).contents == acknowledged)
    }

    @Test("a change of class that has no generation for both header copies changes nothing") func lastClass() throws {
        var forged = ForgedFile()
        forged.header(generation: (1 << 62) - 2, length: 0, extent: 2, depth: 0, root: .hole)
        let backing = FaultyBacking(forged.disk)
        let file = try ProtectedFile.opened(backing)
        #expect(throws: FileFailure.tooLarge) { try file.changeProtection(to: 1, wrappedKey: Sample.strict) }
        #expect(!backing.contains(Sample.strict))
        file.close()
        #expect(try ProtectedFile.opened(backing).protectionClass == 4)
    }

    @Test("no position at the largest extent is taken") func lastExtent() throws {
        var forged = ForgedFile()
        // A child that cannot be read: all positions below the extent may be in use.
        let root = forged.node([.init(position: 5)], level: 2)
        forged.header(length: 3, extent: FileHeader.maximumExtent, depth: 2, root: root)
        let backing = FaultyBacking(forged.disk)
        let file = try ProtectedFile.opened(backing)
        try file.truncate(to: 0)
        #expect(throws: FileFailure.tooLarge) { try file.write(Sample.bytes(Sample.block), at: 0) }
        try file.synchronize(.full)
        file.close()
        #expect(try ProtectedFile.opened(backing).contents == [])
    }
}
