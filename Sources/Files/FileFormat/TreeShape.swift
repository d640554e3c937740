/// The numbers of the tree: a node refers to 85 children, the children of level 1 are the file's blocks (level 0).
enum TreeShape {
    static let blockByteCount = 4096
    static let fanOut: UInt64 = 85
    /// 85⁶ blocks are more than ``FileHeader/maximumLength``.
    static let maximumDepth = 6

    /// The number of the file's blocks below a node of this level; 1 for a block. For the root: its capacity.
    static func span(ofLevel level: Int) -> UInt64 { spans[level] }

    /// The number of blocks that bytes of this length occupy.
    static func blockCount(ofLength length: UInt64) -> UInt64 {
        length / UInt64(blockByteCount) + (length % UInt64(blockByteCount) == 0 ? 0 : 1)
    }

    /// The smallest depth at which the root reaches so many blocks. At depth 0 the root is the only block.
    static func depth(forBlockCount count: UInt64) -> Int {
        (0...maximumDepth).first { span(ofLevel: $0) >= count } ?? maximumDepth
    }

    private static let spans: [UInt64] = (0...maximumDepth).map { level in
        (0..<level).reduce(1) { span, _ in span * fanOut }
    }
}

/// The name of a block or node by where it stands in the tree: its level, and its number among those of the level.
struct BlockAddress: Hashable, Sendable {
    /// 0 for a block of the file's data.
    var level: Int
    var number: UInt64

    var parent: BlockAddress { BlockAddress(level: level + 1, number: number / TreeShape.fanOut) }
    var slot: Int { Int(number % TreeShape.fanOut) }
    var firstBlock: UInt64 { number * TreeShape.span(ofLevel: level) }

    func child(_ slot: Int) -> BlockAddress {
        BlockAddress(level: level - 1, number: number * TreeShape.fanOut + UInt64(slot))
    }

    /// The bytes of the file that depend on this block or node.
    var byteRange: Range<UInt64> {
        let blockByteCount = UInt64(TreeShape.blockByteCount)
        let start = firstBlock * blockByteCount
        return start..<start + TreeShape.span(ofLevel: level) * blockByteCount
    }
}
