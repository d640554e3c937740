internal import LatchkeySecretMemory

/// Blocks of which a part was read or written: they are written out together, and small accesses decrypt a block once.
final class BlockCache {
    final class Block {
        let number: UInt64
        let buffer: SecretBuffer
        fileprivate(set) var isChanged = false
        var lastUse: UInt64 = 0
        /// The bytes from the start that are the file's. Those behind them are still to be read; who overwrites a block in order never needs them.
        var knownCount: Int

        fileprivate init(number: UInt64, knownCount: Int, buffer: SecretBuffer) {
            self.number = number
            self.knownCount = knownCount
            self.buffer = buffer
        }

        var isWhole: Bool { knownCount == TreeShape.blockByteCount }
    }

    private struct Use {
        let number: UInt64
        let time: UInt64
    }

    private var blocks: [UInt64: Block] = [:]
    /// The numbers of the changed ones: there are few of them at each commit of a log.
    private var changedNumbers: Set<UInt64> = []
    /// Buffers of blocks that were forgotten, with what was in them: to map and wipe one for each block takes longer than to decrypt it.
    private var spare: [SecretBuffer] = []
    /// The blocks in the order of their uses. An entry counts if its block was not used again.
    private var uses: [Use] = []
    private var clock: UInt64 = 0
    /// At most about so many blocks stay in memory.
    private(set) var limit = 2

    init(limit: Int) {
        setLimit(limit)
    }

    /// About so many blocks of each file are in locked memory, of which a process has 8 MiB as a rule: two logs would take all of it,
    /// and no key that comes later would have any.
    private static let lockedBlocks = 64

    func setLimit(_ limit: Int) {
        self.limit = max(2, limit)
    }

    var isEmpty: Bool { blocks.isEmpty }
    var count: Int { blocks.count }
    var hasChanges: Bool { !changedNumbers.isEmpty }

    func block(_ number: UInt64) -> Block? {
        guard let block = blocks[number] else { return nil }
        note(useOf: block)
        return block
    }

    /// Returns a block that is not in the cache yet. Its bytes are any.
    func newBlock(_ number: UInt64, knownCount: Int = TreeShape.blockByteCount) -> Block {
        let buffer =
            spare.popLast()
            ?? SecretBuffer(count: TreeShape.blockByteCount, isLocked: blocks.count < Self.lockedBlocks)
        return Block(number: number, knownCount: knownCount, buffer: buffer)
    }

    /// - Parameter block: of ``newBlock(_:knownCount:)``.
    func insert(_ block: Block) {
        blocks[block.number] = block
        note(useOf: block)
    }

    func remove(_ number: UInt64) {
        blocks[number] = nil
        changedNumbers.remove(number)
    }

    func remove(from first: UInt64) {
        for number in blocks.keys where number >= first { remove(number) }
    }

    /// Notes that a block of the cache differs from what is stored, or no longer does.
    func note(_ block: Block, isChanged: Bool) {
        guard block.isChanged != isChanged else { return }
        block.isChanged = isChanged
        if isChanged { changedNumbers.insert(block.number) } else { changedNumbers.remove(block.number) }
    }

    /// The changed blocks in the order of the file.
    var changed: [Block] { changedNumbers.sorted().compactMap { blocks[$0] } }

    /// Forgets the unchanged blocks that were not used lately, if the limit is reached.
    func evict() {
        guard blocks.count >= limit else { return }
        let rest = limit - limit / 8 - 1
        var (seen, staying) = (0, [Use]())
        while blocks.count > rest, seen < uses.count {
            let use = uses[seen]
            seen += 1
            guard let block = blocks[use.number], block.lastUse == use.time else { continue }
            guard !block.isChanged else {
                staying.append(use)
                continue
            }
            blocks[use.number] = nil
            if spare.count < limit / 2 { spare.append(block.buffer) }
        }
        uses.replaceSubrange(..<seen, with: staying)
    }

    private func note(useOf block: Block) {
        clock += 1
        block.lastUse = clock
        // Most are old ones then.
        if uses.count >= 8 * max(limit, blocks.count) { uses.removeAll { blocks[$0.number]?.lastUse != $0.time } }
        uses.append(Use(number: block.number, time: clock))
    }
}
