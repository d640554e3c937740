import Foundation
import LatchkeyFileFormat
import Testing

@Suite struct FaultTests {
    private static let old = Sample.bytes(300 * Sample.block, seed: 1)

    /// A synchronized file of 300 blocks, opened again.
    private static func prepared(seed: UInt64 = 1) throws -> (FaultyBacking, ProtectedFile) {
        let backing = FaultyBacking(seed: seed)
        let file = try Sample.file(in: backing)
        try file.write(old, at: 0)
        try file.synchronize(.full)
        file.close()
        return (backing, try ProtectedFile.opened(backing))
    }

    private static func hasContent(_ backing: FaultyBacking, _ content: [UInt8]) throws -> Bool {
        try ProtectedFile.opened(backing).contents == content
    }

    @Test("a cut file is cut in the tree as well", arguments: [1, 84, 85, 86, 171, 299])
    func truncatedTree(blocks: Int) throws {
        let (backing, file) = try Self.prepared()
        try file.truncate(to: UInt64(blocks * Sample.block))
        try file.synchronize(.data)
        try file.truncate(to: UInt64(Self.old.count))
        try file.synchronize(.data)
        let expected = Array(Self.old.prefix(blocks * Sample.block))
        let isSame = try Self.hasContent(
            backing, expected + [UInt8](repeating: 0, count: Self.old.count - expected.count))
        #expect(isSame)
        try file.truncate(to: 0)
        try file.synchronize(.data)
        #expect(backing.cached.count < 40 * Sample.block)
    }

    @Test("after a failed synchronization nothing succeeds until the file is opened again", arguments: [0, 1])
    func failedSynchronization(number: Int) throws {
        let (backing, file) = try Self.prepared()
        try file.write([1, 2, 3], at: 0)
        // Block and two nodes are written in three operations, then come a synchronization, the header, and another.
        backing.faults[backing.operations + (number == 0 ? 3 : 5)] = .lostPages
        #expect(throws: FileFailure.backing(.system(EIO))) { try file.synchronize(.data) }
        #expect(throws: FileFailure.unsettled) { try file.synchronize(.data) }
        #expect(throws: FileFailure.unsettled) { try file.flush() }
        #expect(throws: FileFailure.unsettled) { try file.write([1], at: 0) }
        #expect(throws: FileFailure.unsettled) { try file.truncate(to: 0) }
        #expect(throws: FileFailure.unsettled) { try file.changeProtection(to: 1, wrappedKey: []) }
        #expect(try file.bytes(at: 0, count: 3) == [1, 2, 3])
        file.close()
        let again = try ProtectedFile.opened(backing)
        let content = try again.contents
        #expect(content.dropFirst(3) == Self.old.dropFirst(3))
        try again.synchronize(.data)
        for seed in 0..<8 as Range<UInt64> {
            let isSame = try Self.hasContent(backing.afterPowerLoss(seed: seed), content)
            #expect(isSame)
        }
    }

    @Test("after a header that could not be written nothing succeeds until the file is opened again")
    func failedHeader()
        throws
    {
        let (backing, file) = try Self.prepared()
        try file.write([1, 2, 3], at: 0)
        backing.faults[backing.operations + 4] = .failure(.system(EIO))
        #expect(throws: FileFailure.backing(.system(EIO))) { try file.synchronize(.data) }
        #expect(throws: FileFailure.unsettled) { try file.synchronize(.data) }
        file.close()
        let isSame = try Self.hasContent(backing, Self.old)
        #expect(isSame)
    }

    @Test("what was found in the kernel's memory only is made durable before the state before it is given up")
    func undurableBase() throws {
        let found = Array(Sample.bytes(60 * Sample.block, seed: 2) + Self.old.dropFirst(60 * Sample.block))
        for cut in 0..<10 {
            let (backing, file) = try Self.prepared()
            try file.write(Array(found.prefix(60 * Sample.block)), at: 0)
            // Killed after the header was written, before that was synchronized.
            let start = backing.operations
            backing.faults[start + 4] = .powerCut
            #expect(throws: FileFailure.self) { try file.synchronize(.data) }
            file.close()
            backing.restartProcess()
            let again = try ProtectedFile.opened(backing)
            let isFound = try again.contents == found
            #expect(isFound)
            backing.faults[backing.operations + cut] = .powerCut
            try? again.write([1, 2, 3], at: 0)
            try? again.flush()
            var flushed = found
            flushed.write([1, 2, 3], at: 0)
            for seed in 0..<12 as Range<UInt64> {
                let content = try ProtectedFile.opened(backing.afterPowerLoss(seed: seed)).contents
                let isKnown = content == Self.old || content == found || content == flushed
                #expect(isKnown, "cut \(cut), seed \(seed)")
            }
        }
    }

    @Test("pages that a failed synchronization lost are written again before they count as durable") func lostPages()
        throws
    {
        for seed in 0..<8 as Range<UInt64> {
            let (backing, file) = try Self.prepared(seed: seed)
            try file.write([9], at: 0)
            try file.synchronize(.data)
            try file.write(Sample.bytes(50 * Sample.block, seed: 3), at: 0)
            try file.flush()
            let flushed = try file.contents
            try file.write([1], at: 0)
            backing.faults[backing.operations + 3] = .lostPages
            #expect(throws: FileFailure.backing(.system(EIO))) { try file.synchronize(.data) }
            file.close()
            let again = try ProtectedFile.opened(backing)
            let isFlushed = try again.contents == flushed
            #expect(isFlushed)
            try again.synchronize(.full)
            let isSame = try Self.hasContent(backing.afterPowerLoss(seed: seed), flushed)
            #expect(isSame, "seed \(seed)")
        }
    }

    @Test("pages are written again below all headers that were never settled", arguments: 0..<8 as Range<UInt64>)
    func lostPagesOfNewFile(seed: UInt64) throws {
        let backing = FaultyBacking(seed: seed)
        let file = try Sample.file(in: backing)
        try file.write(Sample.bytes(30 * Sample.block), at: 0)
        try file.flush()
        try file.write(Sample.bytes(Sample.block), at: UInt64(40 * Sample.block))
        try file.flush()
        let flushed = try file.contents
        try file.write([1], at: 5)
        // A block and a node, then comes the synchronization.
        backing.faults[backing.operations + 2] = .lostPages
        #expect(throws: FileFailure.backing(.system(EIO))) { try file.synchronize(.full) }
        file.close()
        try ProtectedFile.opened(backing).synchronize(.full)
        for image in 0..<4 as Range<UInt64> {
            let isSame = try Self.hasContent(backing.afterPowerLoss(seed: image), flushed)
            #expect(isSame, "image \(image)")
        }
    }

    @Test("a change of class that was cut off is completed by the next opening", arguments: 0..<6)
    func unfinishedClassChange(cut: Int) throws {
        let (backing, file) = try Self.prepared()
        try file.synchronize(.full)
        backing.faults[backing.operations + cut] = .powerCut
        let isCut = (try? file.changeProtection(to: 1, wrappedKey: Sample.strict)) == nil
        for seed in 0..<6 as Range<UInt64> {
            let disk = backing.afterPowerLoss(seed: seed)
            let again = try ProtectedFile.opened(disk)
            let other = try again.wrappedKey == Sample.strict ? Sample.weak : Sample.strict
            #expect(!disk.contains(other))
            if !isCut { #expect(try again.protectionClass == 1) }
            let envelopes = try FileEnvelope.read(from: disk)
            #expect(Set(envelopes.map(\.wrappedKey)).count == 1)
            let isSame = try again.contents == Self.old
            #expect(isSame)
        }
    }

    @Test("damage below the latest header is reported, and brings back no earlier state") func damageIsNoFallback()
        throws
    {
        let (backing, file) = try Self.prepared()
        try file.write([1, 2, 3], at: 0)
        try file.synchronize(.data)
        file.close()
        let root = try #require(Layout.rootPosition(in: backing))
        backing.damage { $0[root * Sample.block + 9] ^= 1 }
        let again = try ProtectedFile.opened(backing)
        #expect(throws: FileFailure.self) { try again.contents }
        #expect(try again.check().damaged == [0..<UInt64(Self.old.count)])
        #expect(try again.size == UInt64(Self.old.count))
    }

    @Test("a damaged block is reported by its range; the others are readable, and it can be overwritten")
    func damagedBlock()
        throws
    {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write(Sample.bytes(20 * Sample.block), at: 0)
        try file.synchronize(.data)
        file.close()
        backing.damage { $0[(2 + 7) * Sample.block] ^= 1 }
        let again = try ProtectedFile.opened(backing)
        let range = UInt64(7 * Sample.block)..<UInt64(8 * Sample.block)
        #expect(throws: FileFailure.damaged(range)) { try again.contents }
        #expect(throws: FileFailure.damaged(range)) { try again.write([1], at: range.lowerBound) }
        #expect(try again.check().damaged == [range])
        #expect(try again.bytes(at: range.upperBound, count: 10).count == 10)
        try again.write(Sample.bytes(Sample.block), at: range.lowerBound)
        try again.synchronize(.data)
        #expect(try again.check().isIntact)
    }

    @Test("after a part of a write beyond the end failed, extending shows zeros or what was written")
    func partialWrite() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        try file.write([1, 2, 3], at: 0)
        try file.synchronize(.data)
        let bytes = Sample.bytes(200 * Sample.block)
        backing.capacity = 100 * Sample.block
        #expect(throws: FileFailure.backing(.noSpace)) { try file.write(bytes, at: UInt64(Sample.block)) }
        let size = Int(try file.size)
        #expect(size == 65 * Sample.block)
        try file.truncate(to: 300 * 4096)
        var expected = [UInt8](repeating: 0, count: 300 * 4096)
        expected.write([1, 2, 3], at: 0)
        expected.write(Array(bytes.prefix(size - Sample.block)), at: Sample.block)
        let isSame = try file.contents == expected
        #expect(isSame)
        try file.truncate(to: 3)
        try file.synchronize(.data)
        #expect(try ProtectedFile.opened(backing).contents == [1, 2, 3])
    }

    @Test("a cut that fails changes nothing") func failedTruncate() throws {
        let (backing, file) = try Self.prepared()
        backing.failsReads = true
        #expect(throws: FileFailure.backing(.system(EIO))) { try file.truncate(to: 5) }
        backing.failsReads = false
        let isSame = try file.contents == Self.old
        #expect(isSame)
        #expect(try file.size == UInt64(Self.old.count))
        backing.failsTruncates = true
        try file.truncate(to: 5)
        try file.synchronize(.data)
        #expect(try file.contents == Array(Self.old.prefix(5)))
    }

    @Test("a damaged header copy is replaced, whenever power fails meanwhile", arguments: 0..<4)
    func headerRepair(cut: Int) throws {
        let (backing, file) = try Self.prepared()
        file.close()
        let stale = try #require(Layout.staleCopy(in: backing))
        backing.damage { $0[stale * Sample.block + 100] ^= 1 }
        backing.faults[backing.operations + cut] = .powerCut
        let opened = try? ProtectedFile.opened(backing)
        for seed in 0..<6 as Range<UInt64> {
            let disk = backing.afterPowerLoss(seed: seed)
            let again = try ProtectedFile.opened(disk)
            let isSame = try again.contents == Self.old
            #expect(isSame)
            #expect(try again.check().headerCopies == 2)
        }
        if let opened { #expect(try opened.check().headerCopies == 2) }
    }

    @Test("an error of the disk while the header copies are read brings back no earlier state") func unreadableHeader()
        throws
    {
        let (backing, file) = try Self.prepared()
        file.close()
        backing.failsReads = true
        #expect(throws: FileFailure.backing(.system(EIO))) { try ProtectedFile.opened(backing) }
    }

    @Test("a full disk is reported, and the file stays usable") func fullDisk() throws {
        let (backing, file) = try Self.prepared()
        backing.capacity = backing.cached.count
        #expect(throws: FileFailure.backing(.noSpace)) { try file.write(Self.old, at: 0) }
        try file.truncate(to: UInt64(Sample.block))
        backing.capacity += 20 * Sample.block
        try file.write([5], at: 0)
        try file.synchronize(.data)
        let isSame = try Self.hasContent(backing, try file.contents)
        #expect(isSame)
    }

    @Test("a new file that found no space leaves nothing behind") func fullDiskAtCreation() throws {
        let backing = FaultyBacking()
        backing.faults[0] = .failure(.noSpace)
        #expect(throws: FileFailure.backing(.noSpace)) { try Sample.file(in: backing) }
        #expect(backing.cached.isEmpty)
        let file = try Sample.file(in: backing)
        try file.synchronize(.full)
        #expect(try ProtectedFile.opened(backing).contents == [])
    }

    @Test("a disk that became read-only is reported") func readOnlyDisk() throws {
        let (backing, file) = try Self.prepared()
        backing.isReadOnly = true
        #expect(throws: FileFailure.backing(.readOnly)) { try file.write(Self.old, at: 0) }
        let isSame = try ProtectedFile.opened(backing, access: .readOnly).contents == Self.old
        #expect(isSame)
    }

    @Test("a failure at any operation loses nothing that was acknowledged", arguments: 0..<14)
    func everyFailure(number: Int) throws {
        let (backing, file) = try Self.prepared()
        backing.faults[backing.operations + number] = .failure(.system(EIO))
        let new = Sample.bytes(90 * Sample.block, seed: 9)
        var acknowledged = Self.old
        var next = Self.old
        next.write(new, at: 10)
        do {
            try file.write(new, at: 10)
            try file.synchronize(.full)
            acknowledged = next
            try file.truncate(to: 1000)
            next = Array(next.prefix(1000))
            try file.synchronize(.full)
            acknowledged = next
        } catch {}
        file.close()
        let content = try ProtectedFile.opened(backing).contents
        let isAllowed = content == acknowledged || content == next
        #expect(isAllowed)
    }

    @Test("small writes keep the limit of nodes") func nodeLimit() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing)
        let starts = (0..<100).map { UInt64($0 * 85 * Sample.block) }
        for start in starts { try file.write([1], at: start) }
        try file.synchronize(.data)
        file.close()
        var limit = Sample.tight
        limit.blocks = 1000
        let again = try ProtectedFile.opened(backing, limit: limit)
        for start in starts { try again.write([2], at: start) }
        // Holes beside the first blocks: only nodes that are no longer in memory are read.
        let reads = backing.reads
        for start in starts { try again.write([3], at: start + UInt64(Sample.block)) }
        #expect(backing.reads - reads > 80)
    }

    @Test("memory for nodes stays bounded while a huge range is removed") func memoryLimit() throws {
        let backing = FaultyBacking()
        let file = try Sample.file(in: backing, limit: Sample.tight)
        for index in 0..<400 as Range<UInt64> { try file.write([1], at: index * 400_000) }
        try file.synchronize(.data)
        let before = OwnMemoryUse.lockedKilobytes
        try file.truncate(to: 1)
        #expect(OwnMemoryUse.lockedKilobytes - before < 2048)
        try file.synchronize(.data)
        #expect(try file.contents == [1])
        #expect(backing.cached.count < 40 * Sample.block)
    }
}

/// Where things lie in a file, read without its key.
enum Layout {
    private static func number(_ bytes: [UInt8], _ offset: Int) -> UInt64 {
        bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func generations(_ backing: FaultyBacking) -> [UInt64] {
        (0..<2).map { number(backing.cached, $0 * Sample.block + 8) }
    }

    static func latestCopy(in backing: FaultyBacking) -> Int? {
        generations(backing).enumerated().max { $0.element < $1.element }?.offset
    }

    static func staleCopy(in backing: FaultyBacking) -> Int? { latestCopy(in: backing).map { 1 - $0 } }

    static func rootPosition(in backing: FaultyBacking) -> Int? {
        latestCopy(in: backing).map { Int(number(backing.cached, $0 * Sample.block + 48)) }
    }
}

private enum OwnMemoryUse {
    static var lockedKilobytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmLck:") } ?? ""
        return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
    }
}
