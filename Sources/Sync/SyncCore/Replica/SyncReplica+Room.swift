/// The limit of stored bytes, which the settings of the circle have.
///
/// It is that of each device: a device knows the sizes of its own objects, and nothing that it could trust about those of others. All devices
/// together stay near the size of the snapshots, because segments go when a snapshot stands for them.
extension SyncReplica {
    /// The bytes that this device has in the store, heads and statements aside.
    package var storedByteCount: Int64 {
        let segments = state.outbox.values.reduce(0) { $0 + Int64($1.byteCount) }
        let snapshots = state.previousSnapshots + (state.snapshot.map { [$0] } ?? [])
        return snapshots.reduce(segments) { $0 + Int64($1.byteCount) }
    }

    var isStoreFull: Bool { storedByteCount >= circle.storedByteLimit }

    /// True if contents wait here until the device has less in the store. Deletions are published all the same: they are small, and
    /// after them a snapshot is smaller.
    ///
    /// Where a new snapshot takes the place of segments it is written first, which needs every change to be published.
    var holdsContents: Bool { isStoreFull && !(lockState.opens(.a) && wouldSnapshotHelp) }

    /// True if a segment is in the store for which the last snapshot does not stand.
    var wouldSnapshotHelp: Bool {
        guard let snapshot = state.snapshot else { return !state.outbox.isEmpty }
        return state.outbox.keys.contains { !snapshot.reference.vector.covers($0) }
    }

    /// Raises the alarm while contents wait for room, and ends it.
    mutating func watchRoom() {
        let waits =
            isActive && state.hasJoined
            && (index.unpublished.contains { state.items[$0]?.isAlive ?? false }
                || waiting.holdsContent { _, content in lockState.opens(content.zone) })
        if waits, holdsContents { raise(.storeLimitReached) } else { clear(.storeLimitReached) }
    }
}
