import Glibc

/// A lock that many readers hold at once, or one writer. A writer that waits comes before readers that come later.
@safe package final class ReadWriteLock: @unchecked Sendable {
    // Sendable because the pointer never changes and its object is made for several threads.
    private let lock = UnsafeMutablePointer<pthread_rwlock_t>.allocate(capacity: 1)

    package init() {
        var attributes = pthread_rwlockattr_t()
        unsafe pthread_rwlockattr_init(&attributes)
        unsafe pthread_rwlockattr_setkind_np(&attributes, Int32(PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP))
        unsafe pthread_rwlock_init(lock, &attributes)
        unsafe pthread_rwlockattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_rwlock_destroy(lock)
        unsafe lock.deallocate()
    }

    /// Runs `body` beside other readers. `body` must not come back to this lock.
    package func reading<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        unsafe pthread_rwlock_rdlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body()
    }

    /// Runs `body` alone. `body` must not come back to this lock.
    package func writing<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        unsafe pthread_rwlock_wrlock(lock)
        defer { unsafe pthread_rwlock_unlock(lock) }
        return try body()
    }
}
