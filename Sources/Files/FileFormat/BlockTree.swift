internal import LatchkeySecretMemory

/// The tree of a file in memory: the nodes that were used lately, and those that changed since they were written.
///
/// A changed node does not change its parent. Writing a node out sets its reference in the parent, which marks that as
/// changed: no operation has to remember the way up.
final class BlockTree {
    private(set) var root: BlockReference
    private(set) var depth: Int
    let store: BlockStore

    var nodes: [BlockAddress: TreeNode] = [:]
    private var clock: UInt64 = 0
    private var latestLeaf: TreeNode?
    /// The memory of nodes that were forgotten, for the next ones: in a long file one comes for each 340 KiB.
    private var spare: [SecretBuffer] = []
    /// At most about so many nodes stay in memory between operations.
    let nodeLimit: Int

    init(root: BlockReference, depth: Int, store: BlockStore, nodeLimit: Int) {
        self.root = root
        self.depth = depth
        self.store = store
        self.nodeLimit = max(16, nodeLimit)
    }

    /// Returns the reference of a block of the file.
    func reference(ofBlock number: UInt64) throws(FileFailure) -> BlockReference {
        guard number < TreeShape.span(ofLevel: depth) else { return .hole }
        guard depth > 0 else { return root }
        let address = BlockAddress(level: 0, number: number)
        if let latestLeaf, latestLeaf.address == address.parent { return latestLeaf[address.slot] }
        guard let leaf = try node(address.parent) else { return .hole }
        latestLeaf = leaf
        return leaf[address.slot]
    }

    /// Sets the reference of a block or node and releases the position of the former one. The tree grows as needed.
    func setReference(_ reference: BlockReference, of address: BlockAddress) throws(FileFailure) {
        while address.number >= TreeShape.span(ofLevel: max(0, depth - address.level)) { grow() }
        var former = root
        if address.level == depth {
            root = reference
        } else {
            let parent = try nodeForChange(address.parent)
            former = parent[address.slot]
            parent[address.slot] = reference
        }
        if !former.isHole { store.release(former) }
        if address.level > 0 { nodes[address]?.isChanged = false }
    }

    /// Returns a node, or nil for a hole.
    func node(_ address: BlockAddress) throws(FileFailure) -> TreeNode? {
        if let node = nodes[address] { return used(node) }
        guard address.level <= depth else { return nil }
        var reference = root
        if address.level < depth {
            guard let parent = try node(address.parent) else { return nil }
            reference = parent[address.slot]
        } else if address.number > 0 {
            return nil
        }
        guard !reference.isHole else { return nil }
        let node = TreeNode(address: address, buffer: spare.popLast() ?? TreeNode.newBuffer())
        guard unsafe try store.read(reference, level: address.level, into: node.buffer.bytes) else {
            throw .damaged(address.byteRange)
        }
        nodes[address] = node
        return used(node)
    }

    /// Writes all changed nodes to free positions, children before parents.
    func writeOut() throws(FileFailure) {
        var level = 1
        while level <= depth {
            let changed = nodes.values.filter { $0.isChanged && $0.address.level == level }
            let sorted = changed.sorted { $0.address.number < $1.address.number }
            var start = 0
            while start < sorted.count {
                let part = sorted[start..<min(sorted.count, start + BlockStore.runLimit)]
                try write(Array(part), level: level)
                start += part.count
                forgetUnchanged()
            }
            level += 1
        }
    }

    /// Keeps the limit of nodes. Called between operations on nodes, never during one: nodes that are in use stay.
    func makeRoom() throws(FileFailure) {
        guard nodes.count > nodeLimit else { return }
        forgetUnchanged()
        if nodes.count > nodeLimit { try writeOut() }
        forgetUnchanged()
    }

    /// Forgets unchanged nodes, the least recently used first, until at most half of the limit is left of them.
    func forgetUnchanged() {
        guard nodes.count > nodeLimit else { return }
        let unchanged = nodes.values.filter { !$0.isChanged }.sorted { $0.lastUse < $1.lastUse }
        forgetLatest()
        for node in unchanged.dropLast(nodeLimit / 2) {
            nodes[node.address] = nil
            if spare.count < nodeLimit / 2 { spare.append(node.buffer) }
        }
    }

    /// True if the tree differs from what was written.
    var isChanged: Bool { nodes.values.contains(where: \.isChanged) }

    /// Sets root and depth after a removal, and forgets nodes above.
    func shrink(toDepth depth: Int, root: BlockReference) {
        for (address, _) in nodes where address.level > depth { nodes[address] = nil }
        self.depth = depth
        self.root = root
        forgetLatest()
    }

    func forgetLatest() {
        latestLeaf = nil
    }

    private func write(_ nodes: [TreeNode], level: Int) throws(FileFailure) {
        try unsafe store.write(
            count: nodes.count, level: level, source: { unsafe UnsafeRawBufferPointer(nodes[$0].buffer.bytes) },
            assign: { (index, reference) throws(FileFailure) in
                try setReference(reference, of: nodes[index].address)
            })
    }

    /// Returns a node to change: an empty one for a hole.
    private func nodeForChange(_ address: BlockAddress) throws(FileFailure) -> TreeNode {
        if let node = try node(address) { return node }
        let node = TreeNode(address: address)
        node.isChanged = true
        nodes[address] = node
        return used(node)
    }

    /// Puts a node above the root.
    private func grow() {
        if !root.isHole {
            let node = TreeNode(address: BlockAddress(level: depth + 1, number: 0))
            node[0] = root
            nodes[node.address] = used(node)
            root = .hole
        }
        depth += 1
    }

    private func used(_ node: TreeNode) -> TreeNode {
        clock += 1
        node.lastUse = clock
        return node
    }
}
