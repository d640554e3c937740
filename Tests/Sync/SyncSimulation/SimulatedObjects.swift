import LatchkeySyncCore

/// A row of the item table. The secret stands for attributes and secret, and is that of the digest, or a wrong content was taken.
struct SimulatedRow: Hashable {
    let content: ItemContent
    let secret: UInt64

    var digest: ObjectHash { content.digest }
    var zone: ZoneClass { content.zone }

    /// The row of a content that a program writes.
    init(writing content: ItemContent) {
        self.init(content: content, secret: content.digest.words.0)
    }

    init(content: ItemContent, secret: UInt64) {
        self.content = content.inRow
        self.secret = secret
    }

    var isRight: Bool { secret == content.digest.words.0 }
}

/// An object of the store with what its sealed bytes contain.
struct SimulatedObject {
    enum Header {
        case segment(SealedSegment)
        case part(SealedSnapshotPart)
    }

    let header: Header
    let epoch: EpochNumber
    /// The records, and for live ones what stands for their bytes.
    let records: [SyncRecord]
    let secrets: [UInt64?]
    /// Of parts of snapshots.
    let dots: [Dot]
    /// The calls that the author knew, and those whose records it had had.
    let known: Set<Int>
    let got: Set<Int>

    var name: ObjectName {
        switch header {
        case .segment(let segment): .segment(segment.dot)
        case .part(let part): part.name
        }
    }

    var hash: ObjectHash {
        switch header {
        case .segment(let segment): segment.hash
        case .part(let part): part.seal.hash
        }
    }

    /// The records as an opener finds them: their contents are in this object.
    var opened: [SyncRecord] {
        records.enumerated().map { position, record in
            guard case .live(let content) = record.state else { return record }
            let placed = ItemContent(
                digest: content.digest, dates: content.dates, zone: content.zone, byteCount: content.byteCount,
                place: .record(position, of: name))
            return SyncRecord(name: record.name, version: record.version, base: record.base, state: .live(placed))
        }
    }
}

/// The common property of the devices of a simulation: the bytes of all sealed objects, by hash, and the epochs.
final class SimulatedWorld {
    struct KnownEpoch {
        let number: EpochNumber
        /// The number of its statement.
        let statement: Int
    }

    var objects: [ObjectHash: SimulatedObject] = [:]
    var epochs: [ObjectHash: KnownEpoch] = [:]
}
