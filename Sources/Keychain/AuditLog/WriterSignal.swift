import LatchkeyThreading

/// Wakes the writer thread when there is something to write, when it must hurry, and when it must end.
final class WriterSignal: @unchecked Sendable {
    // Sendable because the state is only accessed under the condition's lock.
    enum State: Int, Comparable {
        case idle
        case hasWork
        case hurries
        case isOver

        static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }
    }

    private let condition = WaitCondition()
    private var state = State.idle

    func raise(to new: State) {
        condition.withLock {
            guard new > state else { return }
            state = new
            condition.wakeAll()
        }
    }

    /// Waits for work, then the given number of seconds for more work unless the state is `hurries`. Returns false at
    /// the end. Blocks.
    func waitForWork(seconds: Int) -> Bool {
        condition.withLock {
            while state == .idle { condition.wait() }
            let deadline = WaitCondition.Deadline(afterNanoseconds: seconds * 1_000_000_000)
            while state < .hurries, condition.wait(until: deadline) {}
            guard state != .isOver else { return false }
            state = .idle
            return true
        }
    }
}
