import Glibc
import LatchkeyThreading
import Synchronization
import Testing

/// Work on a thread of its own, which blocks.
final class Background<Value: Sendable>: Sendable {
    private let finished = Cancellation()
    private let result = Mutex<Value?>(nil)

    init(_ body: @escaping @Sendable () -> Value) {
        let started = DetachedThread.start {
            let value = body()
            self.result.withLock { $0 = value }
            self.finished.cancel()
        }
        if !started { Issue.record("the system has no thread left") }
    }

    var isFinished: Bool { finished.isCancelled }

    /// Waits a moment for it.
    func isFinished(within milliseconds: Int32) -> Bool {
        var entry = pollfd(fd: finished.descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Waits for it; fails the test if it hangs.
    func value() throws -> Value {
        var entry = pollfd(fd: finished.descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&entry, 1, 60_000) < 0, errno == EINTR {}
        return try #require(result.withLock { $0 }, "it hangs")
    }
}
