/// The share of the time that the worker of a circle may work when it is woken all the time.
///
/// A single change goes out at once. Many that follow each other are put together, so that programs which write do not notice the
/// exchange, and a store that changes without end costs little.
struct CirclePace {
    /// The worker works one microsecond of so many.
    private static let share: Int64 = 10
    /// The work that may be saved up, and owed, in microseconds.
    private static let limit: Int64 = 100_000

    private var balance = limit
    private var countedAt: UInt64 = 0

    init() {}

    /// Notes work that has just ended.
    mutating func note(workFrom start: UInt64, to end: UInt64) {
        count(at: start)
        countedAt = max(countedAt, end)
        balance = max(-Self.limit, balance - Int64(clamping: end - min(start, end)))
    }

    /// Returns the microseconds until there may be more work.
    mutating func pause(at now: UInt64) -> UInt64 {
        count(at: now)
        return balance >= 0 ? 0 : UInt64(-balance * Self.share)
    }

    private mutating func count(at now: UInt64) {
        guard now > countedAt else { return }
        let earned = Int64(clamping: (now - countedAt) / UInt64(Self.share))
        balance = min(Self.limit, balance + min(earned, 2 * Self.limit))
        countedAt = now
    }
}
