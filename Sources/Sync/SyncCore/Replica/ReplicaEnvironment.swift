/// The item table and the keys, as a ``SyncReplica`` sees them while it handles one event.
package protocol ReplicaEnvironment {
    /// Returns the content of the row of `name`, as of the last commit. Called for rows whose zone key is at hand.
    func content(of name: ItemName) -> ItemContent?

    /// Seals a segment and returns the hash of its final bytes. Sealing the same segment again gives other bytes.
    func seal(_ segment: Segment) -> ObjectHash
    func seal(_ snapshot: Snapshot) -> ObjectHash
    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash

    /// Returns the keyed hash of a live item for the digest of the state.
    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest
}
