internal import LatchkeyThreading

/// A lock whose holder may take long: it may wait for a store that does not answer. Others give up after a time, and go before those that do
/// not.
final class PatientLock: @unchecked Sendable {
    // Sendable because the flag changes under the condition's lock alone.
    private let condition = WaitCondition()
    private var isHeld = false
    /// The callers that wait, and give up after a time.
    private var awaiting = 0

    /// True while a caller waits that gives up after a time.
    var isAwaited: Bool { condition.withLock { awaiting > 0 } }

    /// Runs `body` with the lock held.
    func withLock<R>(_ body: () throws -> R) rethrows -> R {
        condition.withLock {
            while isHeld || awaiting > 0 { condition.wait() }
            isHeld = true
        }
        defer { release() }
        return try body()
    }

    /// Runs `body` with the lock held; returns nil if it was not to be had in so many seconds.
    func withLock<R>(within seconds: Int, _ body: () throws -> R) rethrows -> R? {
        let deadline = WaitCondition.Deadline(afterNanoseconds: seconds * 1_000_000_000)
        let isMine = condition.withLock {
            awaiting += 1
            defer {
                awaiting -= 1
                if awaiting == 0, !isHeld { condition.wakeAll() }
            }
            while isHeld {
                guard condition.wait(until: deadline) else { break }
            }
            guard !isHeld else { return false }
            isHeld = true
            return true
        }
        guard isMine else { return nil }
        defer { release() }
        return try body()
    }

    private func release() {
        condition.withLock {
            isHeld = false
            condition.wakeAll()
        }
    }
}
