import LatchkeyEncoding

/// The times at which one watch hears of changes: 250 ms after a change at the earliest, so that changes which belong together are
/// one, and once a second.
package struct ItemChangePace: Sendable {
    static let delay = 0.25
    static let interval = 1.0

    private var lastAnswer: Uptime?
    /// The time of the change that is to be told.
    private var changed: Uptime?

    package init() {}

    /// Returns the seconds until the watch is to hear of changes; 0 if they are due.
    /// - Parameter last: the time of the last change. The first that was seen here counts.
    mutating func secondsLeft(at now: Uptime, changed last: Uptime) -> Double {
        let changed = self.changed ?? last
        self.changed = changed
        var due = changed + Self.delay
        if let lastAnswer { due = max(due, lastAnswer + Self.interval) }
        return max(0, due - now)
    }

    /// Notes that the watch hears of it now.
    mutating func answered(at now: Uptime) {
        lastAnswer = now
        changed = nil
    }
}
