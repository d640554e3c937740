extension OpenedSegment {
    /// Makes an opened segment of the records of its plaintext. Throws if one belongs into a snapshot.
    package init(epoch: EpochNumber, plain: [PlainRecord]) throws(StatementFailure) {
        for record in plain where record.dot != nil { throw .unknownField("d") }
        self.init(epoch: epoch, records: plain.map(\.record))
    }
}

extension OpenedSnapshotPart {
    /// Makes an opened part of the records of its plaintext. Throws if one does not say where it was published.
    package init(epoch: EpochNumber, plain: [PlainRecord]) throws(StatementFailure) {
        var entries: [SnapshotEntry] = []
        for record in plain {
            guard let dot = record.dot else { throw .missingField("d") }
            entries.append(SnapshotEntry(record: record.record, dot: dot))
        }
        self.init(epoch: epoch, entries: entries)
    }
}
