/// Cipher and code take turns over pieces that stay in the processor's first caches.
enum Piece {
    static let byteCount = 16 * 1024
}

extension UnsafeRawBufferPointer {
    /// Takes at most `count` bytes off the front.
    mutating func removeFirst(atMost count: Int) -> UnsafeRawBufferPointer {
        let count = Swift.min(count, self.count)
        let front = unsafe UnsafeRawBufferPointer(rebasing: self[..<count])
        unsafe self = UnsafeRawBufferPointer(rebasing: self[count...])
        return unsafe front
    }
}
