import Glibc
import Synchronization

/// Counts changes of the loaded keys, and wakes the threads that wait for the next one or for the grace period.
@safe final class ChangeSignal: @unchecked Sendable {
    // Sendable because the two pointers never change and what they point to is made for several threads; the ticket
    // is only touched with the mutex held.
    private static let epochWaitNanoseconds = 500_000_000

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var timerTicket: UInt64 = 0
    private let current: Atomic<UInt64>

    init(firstEpoch: UInt64) {
        current = Atomic(firstEpoch)
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    var epoch: UInt64 { current.load(ordering: .acquiring) }

    /// Keys came or went.
    func keysChanged() {
        wakeAll { current.add(1, ordering: .acquiringAndReleasing) }
    }

    /// A grace period began or ended.
    func timerChanged() {
        wakeAll { timerTicket += 1 }
    }

    /// The epoch, as soon as it is another one, or after half a second as it was. Blocks.
    ///
    /// Not for ever: the process that asked may have ended, and who waits for it would never notice.
    func waitForEpoch(otherThan known: UInt64) -> UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_nsec += Self.epochWaitNanoseconds
        deadline.tv_sec += deadline.tv_nsec / 1_000_000_000
        deadline.tv_nsec %= 1_000_000_000
        while epoch == known {
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
        }
        return epoch
    }

    /// What to pass to ``waitForTimer(after:seconds:)``; take it before computing the seconds.
    var ticket: UInt64 {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return timerTicket
    }

    /// Returns after the seconds, or earlier if the timer changed since the ticket was taken. Blocks.
    func waitForTimer(after known: UInt64, seconds: Double?) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        let nanoseconds = deadline.tv_nsec + Int(min(seconds ?? 0, 86_400) * 1_000_000_000)
        deadline.tv_sec += nanoseconds / 1_000_000_000
        deadline.tv_nsec = nanoseconds % 1_000_000_000
        while timerTicket == known {
            guard seconds != nil else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return }
        }
    }

    private func wakeAll(_ change: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        change()
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
