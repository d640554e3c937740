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
}
