import LatchkeySyncCore

/// The operations of a store, and the bytes that they moved.
struct StoreCount: Sendable {
    var operations: [String: (count: UInt64, bytes: UInt64)] = [:]

    mutating func note(_ operation: String, _ byteCount: Int) {
        operations[operation, default: (0, 0)].count += 1
        operations[operation, default: (0, 0)].bytes += UInt64(byteCount)
    }

    var count: UInt64 { operations.values.reduce(0) { $0 + $1.count } }
    var bytes: UInt64 { operations.values.reduce(0) { $0 + $1.bytes } }

    func minus(_ other: StoreCount) -> StoreCount {
        var rest = self
        for (name, value) in other.operations {
            rest.operations[name]?.count -= value.count
            rest.operations[name]?.bytes -= value.bytes
        }
        return rest
    }
}

/// A store that shows everything at once, with the sizes of what real objects would have.
struct ScaleStore {
    enum Stored {
        case segment(SealedSegment)
        case part(SealedSnapshotPart)
    }

    private(set) var heads: [DeviceIdentifier: (head: Head, byteCount: Int)] = [:]
    private(set) var objects: [ObjectName: Stored] = [:]
    private(set) var byteCount = 0
    private(set) var greatestByteCount = 0

    mutating func write(_ head: Head) {
        let size = ObjectSizes.head(head.body)
        byteCount += size - (heads[head.device]?.byteCount ?? 0)
        heads[head.device] = (head, size)
    }

    mutating func create(_ name: ObjectName, _ object: Stored) {
        guard objects.updateValue(object, forKey: name) == nil else { return }
        byteCount += object.byteCount
        greatestByteCount = max(greatestByteCount, byteCount)
    }

    mutating func remove(_ name: ObjectName) {
        if let object = objects.removeValue(forKey: name) { byteCount -= object.byteCount }
    }

    mutating func forgetGreatest() { greatestByteCount = byteCount }
}

extension ScaleStore.Stored {
    var seal: ObjectSeal {
        switch self {
        case .segment(let segment): segment.seal
        case .part(let part): part.seal
        }
    }

    var byteCount: Int { seal.byteCount }
}

/// The sizes of objects (Docs/Formats/sync.md), for items of 330 bytes.
enum ObjectSizes {
    static let item = 330
    /// A key with its revisions.
    static let listedHead = 130
    private static let frame = 10 + 2 + 64
    private static let sealing = 28

    private static func record(_ record: SyncRecord) -> Int {
        if case .live(let content) = record.state { content.byteCount + 100 } else { 80 }
    }

    private static func vector(_ vector: VersionVector) -> Int { 2 + 16 * vector.streams.count }

    static func segment(_ draft: SegmentDraft) -> Int {
        let content = draft.records.reduce(4) { $0 + record($1) }
        return frame + sealing + 105 + vector(draft.knows) + padded(content)
    }

    static func part(_ draft: SnapshotPartDraft) -> Int {
        let content = draft.entries.reduce(4) { $0 + record($1.record) + 25 }
        return frame + sealing + 97 + vector(draft.vector) + padded(content)
    }

    /// A property list: names and lengths of the fields, and 64 bytes and their length for each device.
    static func head(_ body: Head.Body) -> Int {
        frame + 300 + 33 * body.vector.streams.count + 34 * body.statementHeads.count
            + (body.snapshot.map { 60 + vector($0.vector) } ?? 0)
    }

    private static func padded(_ count: Int) -> Int {
        [1024, 2048].first { count <= $0 } ?? (count + 4095) / 4096 * 4096
    }
}
