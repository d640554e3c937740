import Dispatch
import LatchkeyThreading

/// A thread started before the process confines itself, for the two things that a confined thread cannot do: inspect
/// another process's program, and start a program without confinement.
///
/// The kernel counts reading `/proc/PID/exe` as inspecting the process, which Landlock forbids for every process that
/// is not confined at least as much. Confinement holds per thread, so this one can still inspect processes.
package final class OutsideThread: Sendable {
    private let queue = ForkMutex<[Job]>([])
    private let waiting = DispatchSemaphore(value: 0)

    /// Only the two threads that the semaphore separates see the result.
    private final class Job: @unchecked Sendable {
        let body: @Sendable (Job) -> Void
        var result: (any Sendable)?
        let isDone = DispatchSemaphore(value: 0)

        init(_ body: @escaping @Sendable (Job) -> Void) {
            self.body = body
        }
    }

    /// Starts the thread; nil if the system has none left. It runs as long as the process.
    package init?() {
        guard DetachedThread.start({ self.run() }) else { return nil }
    }

    /// Runs `body` on the thread and waits for its result.
    package func perform<R: Sendable>(_ body: @escaping @Sendable () -> R) -> R {
        let job = Job { $0.result = body() }
        queue.withLock { $0.append(job) }
        waiting.signal()
        job.isDone.wait()
        guard let result = job.result as? R else {
            preconditionFailure("the outside thread finished without a result")
        }
        return result
    }

    private func run() -> Never {
        while true {
            waiting.wait()
            let job = queue.withLock { $0.removeFirst() }
            job.body(job)
            job.isDone.signal()
        }
    }
}
