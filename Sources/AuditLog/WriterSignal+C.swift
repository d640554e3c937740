import Glibc

/// Tells the writer's thread that there is something to write, that it must not wait any longer, or that it is over.
@safe final class WriterSignal: @unchecked Sendable {
    // Sendable because the two pointers never change and what they point to is made for several threads; the state is
    // only touched with the mutex held.
    enum State: Int, Comparable {
        case idle
        case hasWork
        case hurries
        case isOver

        static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state = State.idle

    init() {
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

    func raise(to new: State) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard new > state else { return }
        state = new
        unsafe pthread_cond_signal(condition)
    }

    /// Waits for work, then as many seconds for more of it unless it hurries. False when it is over. Blocks.
    func waitForWork(seconds: Int) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while state == .idle { unsafe pthread_cond_wait(condition, mutex) }
        var deadline = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &deadline)
        deadline.tv_sec += seconds
        while state < .hurries {
            if unsafe pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { break }
        }
        guard state != .isOver else { return false }
        state = .idle
        return true
    }
}
