/// One batch of records of a stream, with its place in the chain of the stream.
package struct Segment: Hashable, Sendable {
    package let dot: Dot
    package let epoch: EpochNumber
    /// The hash of the segment before. Nil in the first.
    package let previous: ObjectHash?
    /// The segments that the author had applied when it sealed this one: versions that they contain were known to the author.
    package let knows: VersionVector
    package let records: [SyncRecord]
    package private(set) var hash: ObjectHash

    /// A segment before sealing.
    package init(
        dot: Dot, epoch: EpochNumber, previous: ObjectHash?, knows: VersionVector, records: [SyncRecord],
        hash: ObjectHash = .none
    ) {
        self.dot = dot
        self.epoch = epoch
        self.previous = previous
        self.knows = knows
        self.records = records
        self.hash = hash
    }

    /// Returns the segment with the hash of its sealed bytes.
    package func sealed(as hash: ObjectHash) -> Segment {
        var segment = self
        segment.hash = hash
        return segment
    }

    package var byteCount: Int { records.reduce(200) { $0 + $1.byteCount } }

    /// The first rule that the records break. Nil for a segment that an honest device can have written.
    package var defect: Defect? {
        for record in records {
            if record.version.epoch > epoch { return .laterEpoch }
            if record.zone != dot.stream.zone { return .otherZone }
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

extension ObjectHash {
    /// The place of a hash that is not known yet.
    package static var none: ObjectHash { ObjectHash(words: (0, 0, 0, 0)) }
}
