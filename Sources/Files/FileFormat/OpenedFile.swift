internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

/// The state of a ``ProtectedFile`` until it is closed. Releasing it wipes its keys and its plaintext.
final class OpenedFile {
    /// The header that the tree in memory started from: the latest one that was found or written.
    var header: FileHeader
    /// The length in memory.
    var length: UInt64
    let access: ProtectedFile.Access
    let keys: FileKeys
    let store: BlockStore
    let tree: BlockTree
    let cache: BlockCache
    private let limit: ProtectedFile.MemoryLimit

    var ledger: HeaderLedger
    var isLog = false {
        didSet { cache.setLimit(isLog ? limit.logBlocks : limit.blocks) }
    }
    /// True after a failure that left the state on disk unknown.
    var isUnsettled = false
    /// The header copies whose trees are still to be marked in the store's positions; nil once they are.
    var unmarked: [FileHeader]?
    /// The references of one run of blocks that is read.
    var run: [BlockReference] = []

    init(
        header: FileHeader, ledger: HeaderLedger, others: [FileHeader], backing: any Backing, keys: FileKeys,
        access: ProtectedFile.Access, limit: ProtectedFile.MemoryLimit
    ) {
        let extent = others.reduce(header.extent) { max($0, $1.extent) }
        self.header = header
        self.access = access
        self.keys = keys
        self.ledger = ledger
        self.limit = limit
        length = header.length
        unmarked = others
        store = BlockStore(backing: backing, keys: keys, positions: BlockPositions(extent: extent))
        tree = BlockTree(root: header.root, depth: header.depth, store: store, nodeLimit: limit.nodes)
        cache = BlockCache(limit: limit.blocks)
    }

    /// True if the file differs from the latest header.
    var isModified: Bool {
        length != header.length || tree.root != header.root || tree.depth != header.depth || cache.hasChanges
            || tree.isChanged
    }

    /// Everything that changes the file begins here: learns which positions are free.
    func prepareChange() throws(FileFailure) {
        guard access == .readWrite else { throw .readOnly }
        guard !isUnsettled else { throw .unsettled }
        guard let others = unmarked else { return }
        guard !header.root.isHole || others.contains(where: { !$0.root.isHole }) else {
            // A new file refers to nothing yet.
            unmarked = nil
            return
        }
        let extent = store.positions.end
        do throws(FileFailure) {
            var scan = try TreeScan(store: store)
            try scan.hold(header, isOlder: false)
            for other in others { try scan.hold(other, isOlder: true) }
            if !scan.damaged.isEmpty || !scan.unreadable.isEmpty {
                store.positions = BlockPositions(extent: extent, keepsAll: true)
            }
        } catch {
            store.positions = BlockPositions(extent: extent)
            throw error
        }
        unmarked = nil
    }

    /// Writes changed blocks and nodes to free positions. No header refers to them yet.
    func writeOut() throws(FileFailure) {
        try writeOutBlocks()
        try tree.writeOut()
    }

    func writeOutBlocks() throws(FileFailure) {
        let changed = cache.changed
        for block in changed { try complete(block) }
        var start = 0
        while start < changed.count {
            let part = changed[start..<min(changed.count, start + BlockStore.runLimit)]
            let offset = start
            try unsafe store.write(
                count: part.count, level: 0,
                source: { unsafe UnsafeRawBufferPointer(changed[offset + $0].buffer.bytes) },
                assign: { (index, reference) throws(FileFailure) in
                    let block = changed[offset + index]
                    try tree.setReference(reference, of: BlockAddress(level: 0, number: block.number))
                    cache.note(block, isChanged: false)
                })
            start += part.count
            try tree.makeRoom()
        }
    }

    /// Returns a block of which a part is accessed; zeros for a hole.
    func cachedBlock(_ number: UInt64) throws(FileFailure) -> BlockCache.Block {
        if let block = cache.block(number) {
            try complete(block)
            return block
        }
        let reference = try tree.reference(ofBlock: number)
        cache.evict()
        let block = cache.newBlock(number)
        if reference.isHole {
            unsafe block.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
        } else if try unsafe !store.read(reference, level: 0, into: block.buffer.bytes) {
            throw .damaged(damage(at: BlockAddress(level: 0, number: number)))
        }
        cache.insert(block)
        return block
    }

    /// Returns a block to overwrite a part of. In a log it is not read before a byte behind the overwritten ones is needed.
    func block(_ number: UInt64, toWrite part: Range<Int>) throws(FileFailure) -> BlockCache.Block {
        if let block = cache.block(number) {
            if part.lowerBound > block.knownCount { try complete(block) }
            return block
        }
        guard isLog, part.lowerBound == 0, try !tree.reference(ofBlock: number).isHole else {
            return try cachedBlock(number)
        }
        cache.evict()
        let block = cache.newBlock(number, knownCount: 0)
        cache.insert(block)
        return block
    }

    /// Reads the bytes that a block lacks.
    func complete(_ block: BlockCache.Block) throws(FileFailure) {
        guard !block.isWhole else { return }
        let stored = SecretBuffer(count: TreeShape.blockByteCount)
        let reference = try tree.reference(ofBlock: block.number)
        guard try unsafe store.read(reference, level: 0, into: stored.bytes) else {
            throw .damaged(damage(at: BlockAddress(level: 0, number: block.number)))
        }
        let rest = block.knownCount..<TreeShape.blockByteCount
        unsafe UnsafeMutableRawBufferPointer(rebasing: block.buffer.bytes[rest]).copyMemory(
            from: UnsafeRawBufferPointer(rebasing: stored.bytes[rest]))
        block.knownCount = rest.upperBound
    }

    /// The bytes of the file that a damaged block makes unreadable.
    func damage(at address: BlockAddress) -> Range<UInt64> {
        address.byteRange.clamped(to: 0..<max(length, address.byteRange.lowerBound + 1))
    }
}

extension Backing {
    /// Calls the backing; its failures become those of a file.
    func lifted<R>(_ body: (Self) throws(BackingFailure) -> R) throws(FileFailure) -> R {
        do throws(BackingFailure) {
            return try body(self)
        } catch {
            throw .backing(error)
        }
    }
}
