import LatchkeyThreading

/// Tells the writer's thread that there is something to write, that it must not wait any longer, or that it is over.
final class WriterSignal: @unchecked Sendable {
    // Sendable because the state is only touched inside of the condition's lock.
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

    /// Waits for work, then as many seconds for more of it unless it hurries. False when it is over. Blocks.
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
