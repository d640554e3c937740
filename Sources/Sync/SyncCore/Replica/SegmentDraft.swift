/// A segment before sealing.
package struct SegmentDraft: Hashable, Sendable {
    package let dot: Dot
    package let epoch: EpochName
    /// The hash of the segment before. Nil in the first.
    package let previous: ObjectHash?
    /// The segments that the author has applied.
    package let knows: VersionVector
    package let records: [SyncRecord]

    package init(dot: Dot, epoch: EpochName, previous: ObjectHash?, knows: VersionVector, records: [SyncRecord]) {
        self.dot = dot
        self.epoch = epoch
        self.previous = previous
        self.knows = knows
        self.records = records
    }
}

/// The records of an opened segment.
package struct OpenedSegment: Hashable, Sendable {
    /// The number of the epoch that the header names.
    package let epoch: EpochNumber
    package let records: [SyncRecord]

    package init(epoch: EpochNumber, records: [SyncRecord]) {
        self.epoch = epoch
        self.records = records
    }

    /// Returns the first rule that the records break. Nil for what an honest device can have written.
    package func defect(in zone: ZoneClass) -> Defect? {
        for record in records {
            if record.version.epoch > epoch { return .laterEpoch }
            if record.zone != zone { return .otherZone }
            if case .withheld = record.state { return .withheldContent }
        }
        return nil
    }

    package enum Defect: Hashable, Sendable {
        /// The version of a record names a later epoch than the segment.
        case laterEpoch
        /// A record belongs into the other stream.
        case otherZone
        /// A record without content, which only snapshots may have.
        case withheldContent
    }
}

/// A reason for which the environment does not open an object.
package enum OpeningFailure: Error, Hashable, Sendable {
    /// The key is not at hand: the device is locked, or no statement that it knows shares the key with it. The object is kept.
    case notYet
    /// The signature is valid and the content is not.
    case malformed
}
