/// The piece size for which cipher and code alternate, so that it stays in the processor's first caches.
enum Piece {
    static let byteCount = 16 * 1024
}

extension UnsafeRawBufferPointer {
    /// Removes at most `count` bytes from the front.
    mutating func removeFirst(atMost count: Int) -> UnsafeRawBufferPointer {
        let count = Swift.min(count, self.count)
        let front = unsafe UnsafeRawBufferPointer(rebasing: self[..<count])
        unsafe self = UnsafeRawBufferPointer(rebasing: self[count...])
        return unsafe front
    }
}
