@_implementationOnly import CLatchkeyShims

/// Owned secret bytes: never copied implicitly, kept in locked memory, wiped when the owner's life ends.
///
/// Lengths are public, contents are not: there is no `Equatable`, no description and no way to a `String`.
/// Memory beyond `RLIMIT_MEMLOCK` is wiped as well but may be swapped.
///
/// A child of `fork` does not have the bytes. Using them there ends the process; releasing them does nothing.
@safe package struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Sendable because the bytes are written only during initialisation, before any other thread can see the owner.
    private let start: UnsafeMutableRawPointer
    package let count: Int

    /// Makes secret bytes that `fill` writes in place; the rest is zero.
    package init<E: Error>(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        unsafe self.start = unsafe SecretArena.of(.shared).take(count)
        self.count = count
        try unsafe fill(UnsafeMutableRawBufferPointer(start: start, count: count))
    }

    /// Takes over memory of the arena.
    init(adopting start: UnsafeMutableRawPointer, count: Int) {
        unsafe self.start = unsafe start
        self.count = count
    }

    /// Copies bytes that the caller owns and wipes.
    package init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyMemory(from: bytes) }
    }

    /// Copies these bytes to memory of which a child of `fork` has a copy.
    borrowing func keptOnFork() -> SecretBytes {
        let place = unsafe SecretArena.of(.kept).take(count)
        unsafe withBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(start: place, count: bytes.count).copyMemory(from: bytes)
        }
        return unsafe SecretBytes(adopting: place, count: count)
    }

    /// Calls `body` with the bytes, which are valid only during the call.
    package borrowing func withBytes<R, E: Error>(
        _ body: (UnsafeRawBufferPointer) throws(E) -> R
    ) throws(E) -> R {
        unsafe SecretHead.requireSecret(start, count: count)
        return try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Compares in constant time; secrets of different lengths are different.
    package borrowing func equals(_ other: borrowing SecretBytes) -> Bool {
        unsafe SecretHead.requireSecret(start, count: count)
        unsafe SecretHead.requireSecret(other.start, count: other.count)
        return unsafe count == other.count && lk_equal_bytes(start, other.start, count) == 1
    }

    deinit {
        unsafe SecretArena.release(start, count: count)
    }
}
