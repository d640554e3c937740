/// The current records of a device, live and deleted, of both zones, with the vector that they are the result of.
package struct Snapshot: Hashable, Sendable {
    package let device: DeviceIdentifier
    package let number: UInt64
    package let epoch: EpochNumber
    package let vector: VersionVector
    package let clock: DeviceClock
    package let entries: [Entry]
    package private(set) var hash: ObjectHash

    /// A record and where it was published.
    package struct Entry: Hashable, Sendable {
        package let record: SyncRecord
        package let dot: Dot

        package init(record: SyncRecord, dot: Dot) {
            self.record = record
            self.dot = dot
        }
    }

    package init(
        device: DeviceIdentifier, number: UInt64, epoch: EpochNumber, vector: VersionVector, clock: DeviceClock,
        entries: [Entry], hash: ObjectHash = .none
    ) {
        self.device = device
        self.number = number
        self.epoch = epoch
        self.vector = vector
        self.clock = clock
        self.entries = entries
        self.hash = hash
    }

    /// Returns the snapshot with the hash of its sealed parts.
    package func sealed(as hash: ObjectHash) -> Snapshot {
        var snapshot = self
        snapshot.hash = hash
        return snapshot
    }

    package var byteCount: Int { entries.reduce(200) { $0 + $1.record.byteCount } }

    package var reference: SnapshotReference { SnapshotReference(number: number, hash: hash, vector: vector) }
}

/// A snapshot of this device in the store.
package struct OwnSnapshot: Hashable, Sendable {
    package let reference: SnapshotReference
    package let byteCount: Int
    /// The uptime at which it was written.
    package let writtenAt: UInt64
    /// The store returned it as it was written. Only then it stands for segments.
    package var wasReadBack: Bool

    package init(reference: SnapshotReference, byteCount: Int, writtenAt: UInt64, wasReadBack: Bool = false) {
        self.reference = reference
        self.byteCount = byteCount
        self.writtenAt = writtenAt
        self.wasReadBack = wasReadBack
    }
}
