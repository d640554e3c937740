import LatchkeyBinaryPropertyList

/// An item as `keychain-backup.plist` has it.
package struct BackedUpItem: Sendable, Hashable {
    /// `genp`, `inet`, `cert` or `keys`.
    package let table: String
    /// `v_Data`: the item under its key, and that under the key of its class.
    package let blob: [UInt8]
    /// `v_PersistentRef`.
    package let reference: [UInt8]

    package init(table: String, blob: [UInt8], reference: [UInt8]) {
        self.table = table
        self.blob = blob
        self.reference = reference
    }

    package static let tables = ["genp", "inet", "cert", "keys"]
}

/// Writes `keychain-backup.plist` item by item.
package struct KeychainBackupWriter {
    private var writer = ListWriter()
    private var tables: [String: [ListWriter.Object]] = [:]
    private let keybag: String

    private static let pieceByteCount = 1 << 16

    /// - Parameter keybag: the identifier of the keybag, 16 bytes.
    package init(keybag: [UInt8]) {
        self.keybag = UUIDText.text(keybag)
    }

    /// Writes an item. `body` is given bytes of the file from time to time.
    package mutating func add(
        _ item: BackedUpItem, _ body: ([UInt8]) throws(BackupFailure) -> Void
    ) throws(BackupFailure) {
        let blob = writer.write(.data(item.blob))
        let reference = writer.write(.data(item.reference))
        tables[item.table, default: []].append(
            writer.write(dictionary: [("v_Data", blob), ("v_PersistentRef", reference)]))
        if writer.pendingByteCount >= Self.pieceByteCount { try body(writer.take()) }
    }

    package mutating func finish(_ body: ([UInt8]) throws(BackupFailure) -> Void) throws(BackupFailure) {
        var members = [("keybag-uuid", writer.write(.string(keybag)))]
        for table in BackedUpItem.tables {
            guard let items = tables[table] else { continue }
            members.append((table, writer.write(array: items)))
            try body(writer.take())
        }
        let top = writer.write(dictionary: members)
        writer.finish(top)
        try body(writer.take())
    }
}

/// Reads `keychain-backup.plist` item by item.
package struct KeychainBackupReader {
    private let reader: ListReader
    private let source: PayloadBytes
    private let tables: [(name: String, elements: [Int])]
    /// The identifier of the keybag that the items are under.
    package let keybag: [UInt8]?

    private static let limits = ListLimits(byteCount: 1 << 30, depth: 4, values: 1 << 22)
    private static let blobByteLimit = 16 << 20

    package init(_ payload: PayloadReader) throws(BackupFailure) {
        let source = PayloadBytes(payload)
        do throws(ListFailure) {
            let reader = try ListReader(count: source.count, limits: Self.limits) { range throws(ListFailure) in
                try source.bytes(range)
            }
            let members = try reader.members(at: reader.top)
            keybag = try members["keybag-uuid"].flatMap { (place) throws(ListFailure) in
                try reader.value(at: place).text.flatMap(UUIDText.bytes)
            }
            var tables: [(name: String, elements: [Int])] = []
            for name in BackedUpItem.tables {
                guard let place = members[name] else { continue }
                tables.append((name, try reader.elements(at: place)))
            }
            self.reader = reader
            self.source = source
            self.tables = tables
        } catch {
            throw source.failure
                ?? (error == .tooLong || error == .tooManyValues
                    ? .beyondLimits(BackupNames.keychainFile) : .damaged(BackupNames.keychainFile))
        }
    }

    package var count: Int { tables.reduce(0) { $0 + $1.elements.count } }

    /// Calls `body` with every item, and with nil for one that is damaged, until it returns false.
    package func visit(_ body: (BackedUpItem?) throws -> Bool) throws {
        try visitEntries { try body($0.item) }
    }

    /// An item with its place in the list, which names it also if it is damaged.
    package struct Entry: Sendable {
        package let table: String
        /// From 1, in its table.
        package let number: Int
        /// Nil for one that is damaged.
        package let item: BackedUpItem?
    }

    /// Calls `body` with every entry until it returns false.
    package func visitEntries(_ body: (Entry) throws -> Bool) throws {
        for (table, elements) in tables {
            for (index, element) in elements.enumerated() {
                let item = item(element, table)
                // Not damage: the disk, or a limit of this process.
                if item == nil, case .system? = source.failure, let failure = source.failure { throw failure }
                guard try body(Entry(table: table, number: index + 1, item: item)) else { return }
            }
        }
    }

    private func item(_ place: Int, _ table: String) -> BackedUpItem? {
        guard let members = try? reader.members(at: place), let data = members["v_Data"],
            let blob = try? reader.data(at: data), blob.count <= Self.blobByteLimit
        else { return nil }
        let reference = members["v_PersistentRef"].flatMap { try? reader.data(at: $0) }
        if reference == nil, case .system? = source.failure { return nil }
        return BackedUpItem(table: table, blob: blob, reference: reference ?? [])
    }
}

/// The content of a payload, a few pieces of it in memory.
final class PayloadBytes {
    private let payload: PayloadReader
    /// The pieces that were used last, the latest first.
    private var pieces: [(number: Int, bytes: [UInt8])] = []
    /// The failure behind ``ListFailure/unreadable``.
    private(set) var failure: BackupFailure?

    private static let pieceByteCount = 1 << 16
    private static let pieceLimit = 4

    init(_ payload: PayloadReader) {
        self.payload = payload
    }

    var count: Int { Int(clamping: payload.size) }

    func bytes(_ range: Range<Int>) throws(ListFailure) -> [UInt8] {
        guard range.lowerBound >= 0, range.upperBound <= count else { throw .damaged }
        let (first, last) = (range.lowerBound / Self.pieceByteCount, (range.upperBound - 1) / Self.pieceByteCount)
        guard !range.isEmpty, first == last else {
            return range.isEmpty ? [] : try load(range)
        }
        let start = first * Self.pieceByteCount
        let bytes = try piece(first)
        return Array(bytes[(range.lowerBound - start)..<(range.upperBound - start)])
    }

    private func piece(_ number: Int) throws(ListFailure) -> [UInt8] {
        if let place = pieces.firstIndex(where: { $0.number == number }) {
            if place > 0 { pieces.insert(pieces.remove(at: place), at: 0) }
            return pieces[0].bytes
        }
        let start = number * Self.pieceByteCount
        let bytes = try load(start..<min(count, start + Self.pieceByteCount))
        pieces.insert((number, bytes), at: 0)
        if pieces.count > Self.pieceLimit { pieces.removeLast() }
        return bytes
    }

    private func load(_ range: Range<Int>) throws(ListFailure) -> [UInt8] {
        do throws(BackupFailure) {
            return try payload.content(UInt64(range.lowerBound)..<UInt64(range.upperBound))
        } catch {
            failure = error
            throw .unreadable
        }
    }
}
