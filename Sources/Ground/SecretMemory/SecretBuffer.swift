/// Secret bytes that their owner changes in place: locked like ``SecretBytes``, zero at first, wiped when released.
///
/// A buffer has one user at a time; it is not `Sendable`.
@safe package final class SecretBuffer {
    private let start: UnsafeMutableRawPointer
    package let count: Int
    private let arena: SecretArena

    /// - Parameter isLocked: false for content that would take the locked memory away from keys. It may reach the swap space.
    package init(count: Int, isLocked: Bool = true) {
        arena = isLocked ? .shared : .unlocked
        unsafe start = unsafe arena.take(count)
        self.count = count
    }

    /// The bytes, valid as long as the buffer is referenced.
    package var bytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    deinit {
        unsafe arena.giveBack(start, count: count)
    }
}
