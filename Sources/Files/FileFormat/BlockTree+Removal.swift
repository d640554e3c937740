internal import LatchkeySecretMemory

/// Removal of everything from a block on.
extension BlockTree {
    /// Loads what ``remove(from:)`` needs. When it throws, nothing has changed.
    func prepareRemoval(from count: UInt64) throws(FileFailure) {
        for level in (0..<depth).reversed() where count % TreeShape.span(ofLevel: level + 1) != 0 {
            _ = try node(BlockAddress(level: level + 1, number: count / TreeShape.span(ofLevel: level + 1)))
        }
    }

    /// Removes all blocks from number `count` on, after ``prepareRemoval(from:)`` and nothing else. Cannot fail: of a
    /// removed node that cannot be read, the positions below stay taken until the file is opened again.
    func remove(from count: UInt64) {
        forgetLatest()
        let doomed = nodes.filter { $0.key.firstBlock >= count }
        for address in doomed.keys { nodes[address] = nil }
        for (_, node) in doomed { releaseChildren(of: node, doomed: doomed) }
        for level in (0..<depth).reversed() where count % TreeShape.span(ofLevel: level + 1) != 0 {
            let address = BlockAddress(level: level + 1, number: count / TreeShape.span(ofLevel: level + 1))
            guard let node = nodes[address] else { continue }
            for slot in 0..<Int(TreeShape.fanOut) where node.address.child(slot).firstBlock >= count {
                let reference = node[slot]
                guard !reference.isHole else { continue }
                node[slot] = .hole
                release(reference, of: node.address.child(slot), doomed: doomed)
            }
        }
        if count == 0 {
            if !root.isHole { release(root, of: BlockAddress(level: depth, number: 0), doomed: doomed) }
            shrink(toDepth: 0, root: .hole)
        }
        lowerRoot(forBlockCount: count)
    }

    /// Makes the tree as low as the number of blocks allows.
    private func lowerRoot(forBlockCount count: UInt64) {
        while depth > TreeShape.depth(forBlockCount: count) {
            let top = nodes[BlockAddress(level: depth, number: 0)]
            // Without the top node there are no blocks but those of changed nodes below.
            if !root.isHole { store.release(root) }
            shrink(toDepth: depth - 1, root: top?[0] ?? .hole)
        }
    }

    private func releaseChildren(of node: TreeNode, doomed: [BlockAddress: TreeNode]) {
        for slot in 0..<Int(TreeShape.fanOut) {
            let reference = node[slot]
            if !reference.isHole { release(reference, of: node.address.child(slot), doomed: doomed) }
        }
    }

    /// Releases a child, and what is below it unless the node is in memory: those release their children themselves.
    private func release(_ reference: BlockReference, of address: BlockAddress, doomed: [BlockAddress: TreeNode]) {
        guard store.release(reference), address.level > 0, doomed[address] == nil else { return }
        let node = TreeNode(address: address)
        guard let isIntact = unsafe try? store.read(reference, level: address.level, into: node.buffer.bytes), isIntact
        else { return }
        releaseChildren(of: node, doomed: doomed)
    }
}
