import Glibc

@_implementationOnly import CLatchkeyShims

/// A lock in four bytes of the caller. They are 0 at first, and must not move while the lock is used.
///
/// A thread that waits lends its priority to the owner. Locking twice, or unlocking in another thread, ends the process.
@safe package struct OwnedLock {
    private let word: UnsafeMutablePointer<UInt32>

    /// - Parameter word: four bytes at a multiple of four.
    package init(_ word: UnsafeMutableRawPointer) {
        unsafe self.word = unsafe word.assumingMemoryBound(to: UInt32.self)
    }

    package func lock() {
        let result = unsafe lk_owned_lock(word)
        precondition(result != -EDEADLK, "This thread has the lock already.")
        precondition(
            result == 0, "The owner of the lock has ended without unlocking it, or its bytes were overwritten.")
    }

    /// False if the lock has an owner.
    package func tryLock() -> Bool {
        unsafe lk_owned_try_lock(word) == 0
    }

    package func unlock() {
        let result = unsafe lk_owned_unlock(word)
        precondition(result == 0, "This thread does not have the lock.")
    }

    /// True if this thread is the owner.
    package var isOwned: Bool {
        unsafe lk_owned_is_mine(word) != 0
    }
}
