import Glibc

/// A mutex and a condition to wait for under it, by the clock that cannot be set.
@safe package final class WaitCondition: @unchecked Sendable {
    // Sendable because the two pointers never change and their objects are made for several threads.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    /// The owner of the mutex, if it is that of another condition.
    private let other: WaitCondition?

    /// - Parameter other: the condition whose mutex this one shares: ``withLock(_:)`` of either is for both.
    package init(sharingLockOf other: WaitCondition? = nil) {
        self.other = other
        if let other {
            unsafe mutex = unsafe other.mutex
        } else {
            unsafe mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
            unsafe pthread_mutex_init(mutex, nil)
        }
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        guard other == nil else { return }
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` with the mutex held. `body` must not call this again.
    package func withLock<R>(_ body: () -> R) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// In ``withLock(_:)``: releases the mutex until this thread is woken, which can also happen without a reason.
    package func wait() {
        unsafe pthread_cond_wait(condition, mutex)
    }

    /// The same; returns false once the deadline has passed.
    package func wait(until deadline: Deadline) -> Bool {
        unsafe deadline.withPointer { unsafe pthread_cond_timedwait(condition, mutex, $0) } != ETIMEDOUT
    }

    /// The same; also returns at the deadline of a cancellation. Cancelling it does not wake this thread: see
    /// ``wakeAll(when:)``.
    package func wait(until cancellation: Cancellation) {
        guard let seconds = cancellation.secondsLeft else { return wait() }
        _ = wait(until: Deadline(afterNanoseconds: Int(min(seconds, 3600) * 1_000_000_000)))
    }

    /// Makes a cancellation wake the waiting threads.
    package func wakeAll(when cancellation: Cancellation) {
        cancellation.whenCancelled { [self] in withLock { wakeAll() } }
    }

    /// Wakes one waiting thread.
    package func wakeOne() {
        unsafe pthread_cond_signal(condition)
    }

    /// Wakes every waiting thread.
    package func wakeAll() {
        unsafe pthread_cond_broadcast(condition)
    }
}
