package import Glibc

/// A value behind a lock: the standard library's `Mutex` for what programs link, which may go on in a child of `fork`.
///
/// That one remembers for each thread the number that the kernel gave it, and stores it in the lock. The thread of a child has
/// another number than it remembers: where two threads of a child meet, the kernel does not find the owner, and the process
/// ends. This one stores no number. A lock that another thread of the parent held at the `fork` stays locked, like all locks
/// of the system; `ProcessMutex` is for values that each process has for itself.
@safe package struct ForkMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable because the value is reached under the lock alone, and the pointers never change.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    @inlinable package init(_ initialValue: consuming sending Value) {
        unsafe lock = .allocate(capacity: 1)
        unsafe lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(lock, nil)
        unsafe value = .allocate(capacity: 1)
        unsafe value.initialize(to: initialValue)
    }

    deinit {
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
        unsafe pthread_mutex_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Calls `body` with the value, alone.
    @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }

    /// Returns nil, without calling `body`, while another thread has the lock.
    @inlinable package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(lock) }
        return try unsafe body(&value.pointee)
    }
}
