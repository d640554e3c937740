internal import LatchkeySecretMemory

/// Cutting and extending.
///
/// Bytes of a stored block beyond the length are zero. Cutting keeps that rule, so extending is a change of the length.
extension OpenedFile {
    func truncate(to newLength: UInt64) throws(FileFailure) {
        guard newLength <= FileHeader.maximumLength else { throw .tooLarge }
        try prepareChange()
        guard newLength < length else {
            length = newLength
            return
        }
        let count = TreeShape.blockCount(ofLength: newLength)
        let tailStart = Int(newLength % UInt64(TreeShape.blockByteCount))
        var last: BlockCache.Block?
        if tailStart > 0 {
            try makeRoomForChange()
            last = try cachedBlock(count - 1)
        }
        try tree.prepareRemoval(from: count)
        // Nothing fails from here on: content in memory changes only now.
        if let last, unsafe last.buffer.bytes[tailStart...].contains(where: { $0 != 0 }) {
            unsafe wipe(UnsafeMutableRawBufferPointer(rebasing: last.buffer.bytes[tailStart...]))
            cache.note(last, isChanged: true)
        }
        cache.remove(from: count)
        tree.remove(from: count)
        length = newLength
    }
}
