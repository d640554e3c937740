/// The round of reading in flight. Lost at a crash: the next hint starts another.
struct Reading: Sendable {
    var step = Step.idle
    /// A hint came during the round.
    var isWantedAgain = false
    /// The uptime at which a lost answer is given up.
    var endsAt: UInt64 = 0
    /// The uptime before which no round starts, after a failure of the store.
    var startsAt: UInt64 = 0
    /// A round has ended since the last change without a version was reported: it may be published. Before, something might be in the store
    /// that it loses to.
    var isCurrent = false
    /// The snapshots that this round has asked for.
    var askedSnapshots: Set<SnapshotName> = []
    /// The snapshots that were loaded and did not contain a missing content.
    var loadedSnapshots: Set<SnapshotName> = []
    /// The snapshots that were loaded as a whole.
    var unitedSnapshots: Set<SnapshotName> = []
    /// The snapshots that could not be opened, with the uptime before which they are not fetched again. Lock state and circle end this.
    var unopenedSnapshots: [SnapshotName: UInt64] = [:]
    /// The snapshot whose parts are being loaded.
    var loading: Loading?
    /// The sealed bytes that this event may still open, less than none after a large segment.
    var room = 0
    /// Segments are here that this event has left to the next.
    var isInterrupted = false
    /// Segments that are compared with those that a member has.
    var disputed: Set<Dot> = []

    struct SnapshotName: Hashable, Sendable {
        let device: DeviceIdentifier
        let number: UInt64
    }

    struct Loading: Sendable {
        let device: DeviceIdentifier
        let reference: SnapshotReference
        /// The snapshot of a device with the same vector and other items: the vector does not tell what is outdated or deleted.
        var isWhole = false
        /// The parts that were merged.
        var parts: [ObjectHash] = []
        /// The names in them.
        var names: Set<ItemName> = []

        var name: SnapshotName { SnapshotName(device: device, number: reference.number) }
    }

    enum Step: Hashable, Sendable {
        case idle
        case heads
        case segments
        case snapshot
    }
}
