internal import LatchkeySecretMemory

/// A node of the tree in memory: 85 references, and 16 bytes that are zero.
final class TreeNode {
    let address: BlockAddress
    let buffer: SecretBuffer
    /// True until the node is written to a position of its own and its parent refers to that.
    var isChanged = false
    var lastUse: UInt64 = 0

    init(address: BlockAddress, buffer: SecretBuffer = newBuffer()) {
        self.address = address
        self.buffer = buffer
    }

    /// Memory for a node, zero at first.
    static func newBuffer() -> SecretBuffer { SecretBuffer(count: TreeShape.blockByteCount) }

    /// Setting a reference marks the node as changed: there is no other way to change it.
    subscript(slot: Int) -> BlockReference {
        get { unsafe Self.reference(slot, in: UnsafeRawBufferPointer(buffer.bytes)) }
        set {
            let start = slot * BlockReference.byteCount
            unsafe newValue.write(to: UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[start...]))
            isChanged = true
        }
    }

    /// Reads a reference of a node that is not kept.
    static func reference(_ slot: Int, in bytes: UnsafeRawBufferPointer) -> BlockReference {
        let start = slot * BlockReference.byteCount
        return unsafe BlockReference(UnsafeRawBufferPointer(rebasing: bytes[start..<start + BlockReference.byteCount]))
    }
}
