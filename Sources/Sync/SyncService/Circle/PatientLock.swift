internal import LatchkeyThreading

/// A lock whose holder may take long: it may wait for a store that does not answer. Others give up after a time.
final class PatientLock: @unchecked Sendable {
    // Sendable because the flag changes under the condition's lock alone.
    private let condition = WaitCondition()
    private var isHeld = false

    /// Runs `body` with the lock held.
    func withLock<R>(_ body: () throws -> R) rethrows -> R {
        condition.withLock {
            while isHeld { condition.wait() }
            isHeld = true
        }
        defer { release() }
        return try body()
    }

    /// Runs `body` with the lock held; returns nil if it was not to be had in so many seconds.
    func withLock<R>(within seconds: Int, _ body: () throws -> R) rethrows -> R? {
        let deadline = WaitCondition.Deadline(afterNanoseconds: seconds * 1_000_000_000)
        let isMine = condition.withLock {
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
