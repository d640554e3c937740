@_implementationOnly import CLatchkeyShims

/// A thread of the operating system for blocking work: no pool, no queue, no signals.
package enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private static let stackByteCount = 2 << 20

    /// Runs `body` on a new thread. False if the system has no thread left.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Work(body))
        let outcome = unsafe lk_thread_start(
            stackByteCount,
            { context in
                guard let context = unsafe context else { return }
                unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
            }, unsafe context.toOpaque())
        guard outcome == 0 else {
            unsafe context.release()
            return false
        }
        return true
    }

    /// Runs `body` on a new thread and waits for its end; on this thread if the system has no other one left. For calls in which
    /// a thread cannot be killed: the waiting one can.
    package static func runAndWait(_ body: @escaping @Sendable () -> Void) {
        let end = End()
        let isStarted = start {
            body()
            end.announce()
        }
        if isStarted { end.wait() } else { body() }
    }

    /// The end of work on another thread.
    private final class End: @unchecked Sendable {
        // Sendable because the variable is used under the condition's mutex alone.
        private let condition = WaitCondition()
        private var hasCome = false

        func announce() {
            condition.withLock {
                hasCome = true
                condition.wakeAll()
            }
        }

        func wait() {
            condition.withLock {
                while !hasCome { condition.wait() }
            }
        }
    }
}
