/// The snapshot that is on its way to the store, and the need for one.
struct SnapshotWriting: Sendable {
    /// Lost at a crash: the next snapshot gets another number.
    var draft: Draft?
    /// The uptime at which a lost answer is given up, or before which no other snapshot is begun.
    var endsAt: UInt64 = 0
    /// The uptime at which it is this device's turn to help a member. Nil if no member needs a snapshot.
    var turnAt: UInt64?
    /// Heads or own segments have changed since the need was looked for.
    var mayBeNeeded = true
    /// The parts of the own snapshot that the store returned so far.
    var readBack: [ObjectHash] = []

    struct Draft: Sendable {
        let number: UInt64
        let epoch: EpochName
        let vector: VersionVector
        /// The names that are in no part yet.
        var rest: ArraySlice<ItemName>
        /// The parts that the store has.
        var parts: [ObjectSeal] = []
        /// The part that the store was given, and what is left after it.
        var inFlight: (seal: ObjectSeal, rest: ArraySlice<ItemName>)?
    }
}
