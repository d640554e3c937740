/// The round of reading in flight. Lost at a crash: the next hint starts another.
struct Reading: Sendable {
    var step = Step.idle
    /// A hint came during the round.
    var isWantedAgain = false
    /// The uptime at which a lost answer is given up.
    var endsAt: UInt64 = 0
    /// The uptime before which no round starts, after a failure of the store.
    var startsAt: UInt64 = 0
    /// The snapshots that this round has asked for.
    var askedSnapshots: Set<ObjectName> = []
    /// The snapshots that were loaded and did not contain a missing content.
    var loadedSnapshots: Set<ObjectName> = []

    enum Step: Hashable, Sendable {
        case idle
        case heads
        case segments
        case snapshot
    }
}
