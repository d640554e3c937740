/// The item table and the keys, as a ``SyncReplica`` sees them while it handles one event.
///
/// Contents stay with the environment. It keeps the objects that it opens in an event until the effects of the event were performed:
/// transactions, and objects to seal, name contents by their ``ItemContent/place``. Every operation may fail when a key is not at hand
/// any more; the core then goes on without.
package protocol ReplicaEnvironment {
    /// Returns what tells about the row of `name`, as of the last commit. Called for rows whose zone key is at hand.
    func content(of name: ItemName) -> ItemContent?

    /// Announces that the contents of these rows are asked for in this order, until the next announcement. They may be looked up together.
    func expect(_ names: ArraySlice<ItemName>)

    /// True while a row that a call has written since the device joined has no name. Nothing that other devices wrote may be applied then:
    /// the row might miss a deletion that this device would acknowledge. The transaction that applies something looks again.
    var hasCallWithoutName: Bool { get }

    /// Makes the clock parts of versions of now, each greater than the one before, and stores the last as the clock. They may stay unused.
    /// - Parameter clock: what the replica has that may not be committed.
    func makeVersions(
        _ count: Int, in epoch: EpochNumber, after clock: DeviceClock, wallClock: UInt64
    ) -> MadeVersions

    /// Seals a segment and keeps its bytes for ``TableChange/outbox(_:_:)``. Sealing the same segment again gives other bytes.
    ///
    /// The contents of the records are in their rows as of the last commit, or in records that were opened in this event.
    /// - Returns: nil if the key is not at hand, or a row has another content than its record.
    func seal(_ segment: SegmentDraft) -> ObjectSeal?

    /// Seals a part of a snapshot and keeps its bytes until the store has them, or until another part is sealed.
    func seal(_ part: SnapshotPartDraft) -> ObjectSeal?

    /// Signs a head and keeps its bytes for ``TableChange/head(_:at:)``.
    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash?

    /// Opens a segment that came with this event or is pending.
    func open(_ segment: SealedSegment) throws(OpeningFailure) -> OpenedSegment

    /// Opens a part of a snapshot that came with this event.
    func open(_ part: SealedSnapshotPart) throws(OpeningFailure) -> OpenedSnapshotPart

    /// Returns the keyed hash of a live item for the digest of the state. Nil before the first unlock.
    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest?
}

extension ReplicaEnvironment {
    package func expect(_ names: ArraySlice<ItemName>) {}
}
