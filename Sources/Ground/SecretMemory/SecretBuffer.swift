/// Secret bytes that their owner changes in place: locked like ``SecretBytes``, zero at first, wiped when released.
///
/// A buffer has one user at a time; it is not `Sendable`. A child of `fork` does not have its bytes: using them there ends the
/// process.
@safe package final class SecretBuffer {
    private let start: UnsafeMutableRawPointer
    package let count: Int

    /// - Parameter isLocked: false for content that would take the locked memory away from keys. It may reach the swap space.
    package init(count: Int, isLocked: Bool = true) {
        unsafe start = unsafe SecretArena.of(isLocked ? .shared : .unlocked).take(count)
        self.count = count
    }

    /// The bytes, valid as long as the buffer is referenced.
    package var bytes: UnsafeMutableRawBufferPointer {
        unsafe SecretHead.requireSecret(start, count: count)
        return unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    deinit {
        unsafe SecretArena.release(start, count: count)
    }
}
