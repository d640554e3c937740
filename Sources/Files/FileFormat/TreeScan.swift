internal import LatchkeySecretMemory

/// A walk over the tree of a header as it is in the backing, past the nodes in memory.
///
/// A position is visited once: references that overlap or form a cycle count as damage and cost no time.
struct TreeScan: ~Copyable {
    let store: BlockStore
    /// All positions from here on are behind the end of the backing: a reference to one is damage. Sets of positions
    /// stay in proportion to the backing, whatever a hostile header says.
    private let bound: UInt64
    private var seen = PositionSet()
    /// One buffer for each level that the walk is in.
    private var buffers: [SecretBuffer] = []
    /// The ranges of bytes that cannot be read.
    private(set) var damaged: [Range<UInt64>] = []
    /// The ranges below what the disk refused to read. They may be intact.
    private(set) var unreadable: [Range<UInt64>] = []
    /// True if the disk refused to read a node of the older tree.
    private(set) var isOlderUnreadable = false

    init(store: BlockStore) throws(FileFailure) {
        self.store = store
        let size = try store.backing.lifted { (backing) throws(BackingFailure) in try backing.size() }
        bound = size / UInt64(TreeShape.blockByteCount) + 1
        for _ in 0...2 * TreeShape.maximumDepth + 1 { buffers.append(SecretBuffer(count: TreeShape.blockByteCount)) }
    }

    /// Marks all positions of the tree as used. Reads nodes only; those that the disk refuses to read are noted.
    ///
    /// - Parameter isOlder: true for the tree of the header copy that is not used. It shares positions with the newer
    ///   one, and others may have been overwritten since: neither is damage.
    mutating func hold(_ header: FileHeader, isOlder: Bool) throws(FileFailure) {
        try hold(header.root, BlockAddress(level: header.depth, number: 0), isOlder)
    }

    private mutating func hold(
        _ reference: BlockReference, _ address: BlockAddress, _ isOlder: Bool
    ) throws(FileFailure) {
        guard !reference.isHole else { return }
        guard isInside(reference), store.positions.hold(reference.position, isOlder: isOlder)
        else {
            return isOlder ? () : note(address)
        }
        guard address.level > 0 else { return }
        let buffer = buffers[address.level]
        guard let isIntact = unsafe try? store.read(reference, level: address.level, into: buffer.bytes) else {
            unreadable.append(address.byteRange)
            return
        }
        guard isIntact else { return isOlder ? () : note(address) }
        for slot in 0..<Int(TreeShape.fanOut) {
            let child = unsafe TreeNode.reference(slot, in: UnsafeRawBufferPointer(buffer.bytes))
            try hold(child, address.child(slot), isOlder)
        }
    }

    /// Visits what the newer tree has and the older one has not, and notes what of it is damaged or unreadable.
    ///
    /// - Parameter visit: is given the position and the sealed bytes of each block and node.
    mutating func difference(
        of newer: FileHeader, from older: FileHeader?,
        visit: (UInt64, UnsafeRawBufferPointer) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        var before = (older?.root ?? .hole, older?.depth ?? newer.depth)
        // The older tree may be higher: its part that the newer one covers begins at the first child.
        let buffer = buffers[TreeShape.maximumDepth + 1]
        while before.1 > newer.depth {
            let isRead = unsafe readOlder(before.0, level: before.1, into: buffer.bytes)
            before.0 = unsafe isRead ? TreeNode.reference(0, in: UnsafeRawBufferPointer(buffer.bytes)) : .hole
            before.1 -= 1
        }
        try unsafe difference(newer.root, BlockAddress(level: newer.depth, number: 0), before, visit)
    }

    /// - Parameter before: the older root and its depth while the walk is at or above it, else the older reference of
    ///   the same address.
    private mutating func difference(
        _ reference: BlockReference, _ address: BlockAddress, _ before: (reference: BlockReference, level: Int),
        _ visit: (UInt64, UnsafeRawBufferPointer) throws(FileFailure) -> Void
    ) throws(FileFailure) {
        guard !reference.isHole, reference != before.reference || before.level != address.level else { return }
        guard isInside(reference), seen.insert(reference.position) else {
            return note(address)
        }
        let (buffer, older) = (buffers[address.level], buffers[TreeShape.maximumDepth + 1 + address.level])
        guard (unsafe try? store.readSealed(at: reference.position, into: buffer.bytes)) != nil else {
            unreadable.append(address.byteRange)
            return
        }
        try unsafe visit(reference.position, UnsafeRawBufferPointer(buffer.bytes))
        let bytes = unsafe UnsafeRawBufferPointer(buffer.bytes)
        guard unsafe store.keys.open(bytes, level: address.level, reference: reference, into: buffer.bytes) else {
            return note(address)
        }
        guard address.level > 0 else { return }
        let isSameLevel = before.level == address.level
        var hasOlder = false
        if isSameLevel { hasOlder = unsafe readOlder(before.reference, level: address.level, into: older.bytes) }
        for slot in 0..<Int(TreeShape.fanOut) {
            var next = (reference: BlockReference.hole, level: address.level - 1)
            if hasOlder { next.reference = unsafe TreeNode.reference(slot, in: UnsafeRawBufferPointer(older.bytes)) }
            if !isSameLevel, slot == 0, address.number == 0 { next = before }
            let child = unsafe TreeNode.reference(slot, in: bytes)
            try unsafe difference(child, address.child(slot), next, visit)
        }
    }

    private mutating func readOlder(
        _ reference: BlockReference, level: Int, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let isIntact = unsafe try? store.read(reference, level: level, into: output) else {
            isOlderUnreadable = true
            return false
        }
        return isIntact
    }

    private func isInside(_ reference: BlockReference) -> Bool {
        reference.position < bound && store.positions.contains(reference.position)
    }

    private mutating func note(_ address: BlockAddress) {
        damaged.append(address.byteRange)
    }
}
