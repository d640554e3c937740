internal import LatchkeySecretMemory

/// Blocks of which a part was read or written: they are written out together, and small accesses decrypt a block once.
final class BlockCache {
    final class Block {
        let number: UInt64
        let buffer: SecretBuffer
        var isChanged = false
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

    private var blocks: [UInt64: Block] = [:]
    /// Buffers of blocks that were forgotten, with what was in them: to map and wipe one for each block takes longer than to decrypt it.
    private var spare: [SecretBuffer] = []
    private var clock: UInt64 = 0
    let limit: Int

    init(limit: Int) {
        self.limit = max(2, limit)
    }

    var isEmpty: Bool { blocks.isEmpty }
    var count: Int { blocks.count }
    var hasChanges: Bool { blocks.values.contains(where: \.isChanged) }

    func block(_ number: UInt64) -> Block? {
        guard let block = blocks[number] else { return nil }
        clock += 1
        block.lastUse = clock
        return block
    }

    /// Returns a block that is not in the cache yet. Its bytes are any.
    func newBlock(_ number: UInt64, knownCount: Int = TreeShape.blockByteCount) -> Block {
        let buffer = spare.popLast() ?? SecretBuffer(count: TreeShape.blockByteCount)
        return Block(number: number, knownCount: knownCount, buffer: buffer)
    }

    /// - Parameter block: of ``newBlock(_:knownCount:)``.
    func insert(_ block: Block) {
        clock += 1
        block.lastUse = clock
        blocks[block.number] = block
    }

    func remove(_ number: UInt64) {
        blocks[number] = nil
    }

    func remove(from first: UInt64) {
        for number in blocks.keys where number >= first { blocks[number] = nil }
    }

    /// The changed blocks in the order of the file.
    var changed: [Block] {
        blocks.values.filter(\.isChanged).sorted { $0.number < $1.number }
    }

    /// Forgets the unchanged blocks that were not used lately, if the limit is reached.
    func evict() {
        guard blocks.count >= limit else { return }
        let unchanged = blocks.values.filter { !$0.isChanged }.sorted { $0.lastUse < $1.lastUse }
        for block in unchanged.prefix(max(0, blocks.count - limit / 2)) {
            blocks[block.number] = nil
            if spare.count < limit / 2 { spare.append(block.buffer) }
        }
    }
}
