import LatchkeyThreading

/// One after the other: two prompts for the same reader, or on the same screen, would leave the person guessing.
final class Turns: @unchecked Sendable {
    // Sendable because the mark is only touched inside of the condition's lock.
    private let condition = WaitCondition()
    private var isTaken = false

    /// Runs `body` when it is its turn; nil if the cancellation is over before that.
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
