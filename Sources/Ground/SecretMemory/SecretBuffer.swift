/// Secret bytes that their owner changes in place: locked like ``SecretBytes``, zero at first, wiped when released.
///
/// A buffer has one user at a time; it is not `Sendable`.
@safe package final class SecretBuffer {
    private let start: UnsafeMutableRawPointer
    package let count: Int

    package init(count: Int) {
        unsafe start = unsafe SecretArena.shared.take(count)
        self.count = count
    }

    /// The bytes, valid as long as the buffer is referenced.
    package var bytes: UnsafeMutableRawBufferPointer {
        unsafe UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    deinit {
        unsafe SecretArena.shared.giveBack(start, count: count)
    }
}
