import Glibc

/// A thread started before the process confines itself, for the two things a confined thread cannot do: look at
/// another process's program and start a program that is not confined as well.
///
/// The kernel counts reading `/proc/PID/exe` as inspecting the process, which Landlock forbids towards every process
/// that is not confined at least as much. Confinement holds per thread, so this one stays able to look.
@safe package final class OutsideThread: @unchecked Sendable {
    // Sendable because `queue` is touched only while `lock` is held.
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var queue: [() -> Void] = []

    /// Starts the thread; nil if the system has none left. It runs as long as the process.
    package init?() {
        unsafe lock = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        unsafe pthread_mutex_init(lock, nil)
        unsafe pthread_cond_init(changed, nil)
        guard DetachedThread.start({ self.run() }) else { return nil }
    }

    /// Runs `body` on the thread and waits for its result.
    package func perform<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
        var result: R?
        unsafe pthread_mutex_lock(lock)
        defer { unsafe pthread_mutex_unlock(lock) }
        var isDone = false
        queue.append {
            let value = body()
            unsafe pthread_mutex_lock(self.lock)
            result = value
            isDone = true
            unsafe pthread_cond_broadcast(self.changed)
            unsafe pthread_mutex_unlock(self.lock)
        }
        unsafe pthread_cond_broadcast(changed)
        while !isDone { unsafe pthread_cond_wait(changed, lock) }
        guard let result else { preconditionFailure("the outside thread finished without a result") }
        return result
    }

    private func run() -> Never {
        while true {
            unsafe pthread_mutex_lock(lock)
            while queue.isEmpty { unsafe pthread_cond_wait(changed, lock) }
            let work = queue.removeFirst()
            unsafe pthread_mutex_unlock(lock)
            work()
        }
    }
}
