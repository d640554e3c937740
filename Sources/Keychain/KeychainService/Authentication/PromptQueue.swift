import LatchkeyThreading

/// A queue for prompts: two prompts for the same reader, or on the same screen, would confuse the user.
final class PromptQueue: @unchecked Sendable {
    // Sendable because the mark is only accessed under the condition's lock.
    private let condition = WaitCondition()
    private var isTaken = false

    /// Runs `body` when it is its turn; returns nil if the cancellation is over before that.
    func inTurn<R>(_ cancellation: Cancellation, _ body: () -> R) -> R? {
        condition.wakeAll(when: cancellation)
        let hasTurn = condition.withLock {
            while isTaken, !cancellation.isOver { condition.wait(until: cancellation) }
            guard !cancellation.isOver else { return false }
            isTaken = true
            return true
        }
        guard hasTurn else { return nil }
        defer {
            condition.withLock {
                isTaken = false
                condition.wakeAll()
            }
        }
        return body()
    }
}
