/// The snapshot that is on its way to the store, and the need for one.
struct SnapshotWriting: Sendable {
    /// Lost at a crash: the next snapshot gets another number.
    var draft: Snapshot?
    /// The uptime at which a lost answer is given up.
    var endsAt: UInt64 = 0
    /// The uptime at which it is this device's turn to help a member. Nil if no member needs a snapshot.
    var turnAt: UInt64?
    /// Heads or own segments have changed since the need was looked for.
    var mayBeNeeded = true
}
