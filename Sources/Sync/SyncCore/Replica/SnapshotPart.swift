/// A part of a snapshot before sealing: some of the current records of a device, live and deleted, of both zones.
///
/// The parts are sealed and written one after another. Records that change meanwhile have dots that the vector does not cover.
package struct SnapshotPartDraft: Hashable, Sendable {
    package let device: DeviceIdentifier
    package let number: UInt64
    /// From 0.
    package let part: Int
    package let epoch: EpochName
    /// The vector when the snapshot was begun: it contains every item that these segments contain and that was not deleted.
    package let vector: VersionVector
    package let clock: DeviceClock
    package let entries: [SnapshotEntry]

    package init(
        device: DeviceIdentifier, number: UInt64, part: Int, epoch: EpochName, vector: VersionVector,
        clock: DeviceClock, entries: [SnapshotEntry]
    ) {
        self.device = device
        self.number = number
        self.part = part
        self.epoch = epoch
        self.vector = vector
        self.clock = clock
        self.entries = entries
    }

    package var name: ObjectName { .snapshotPart(device, number: number, part: part) }
}

/// A record of a snapshot and where it was published.
package struct SnapshotEntry: Hashable, Sendable {
    package let record: SyncRecord
    package let dot: Dot

    package init(record: SyncRecord, dot: Dot) {
        self.record = record
        self.dot = dot
    }
}

/// A part of a snapshot as it came from the store: the header is known, the records are sealed.
package struct SealedSnapshotPart: Hashable, Sendable {
    package let device: DeviceIdentifier
    package let number: UInt64
    package let part: Int
    /// The statement of the epoch.
    package let epoch: ObjectHash
    package let vector: VersionVector
    package let clock: DeviceClock
    package let seal: ObjectSeal

    package init(
        device: DeviceIdentifier, number: UInt64, part: Int, epoch: ObjectHash, vector: VersionVector,
        clock: DeviceClock, seal: ObjectSeal
    ) {
        self.device = device
        self.number = number
        self.part = part
        self.epoch = epoch
        self.vector = vector
        self.clock = clock
        self.seal = seal
    }

    package var name: ObjectName { .snapshotPart(device, number: number, part: part) }
}

/// The records of an opened part of a snapshot.
package struct OpenedSnapshotPart: Hashable, Sendable {
    /// The number of the epoch that the header names.
    package let epoch: EpochNumber
    package let entries: [SnapshotEntry]

    package init(epoch: EpochNumber, entries: [SnapshotEntry]) {
        self.epoch = epoch
        self.entries = entries
    }

    /// True if a version names a later epoch than the snapshot.
    package var hasDefect: Bool { entries.contains { $0.record.version.epoch > epoch } }
}
