import Glibc
import LatchkeyItemModel

@testable import LatchkeyItemDatabase

/// Rows that an attacker has put into the database of items: the readers read them, and the transactions of calls and
/// of sync work above them. The first byte chooses some of the readers and one transaction. The first byte of a row
/// names its table, and a value of any type follows for each column.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    Stage.only.run(Array(Input(start: start, count: count)))
    return 0
}

/// A database that has no rows between two inputs: all that an input does is undone.
private final class Stage: Sendable {
    static let only = Stage()

    private struct Table {
        let insertion: String
        let columnCount: Int
    }

    private let database: ItemDatabase
    private let tables: [Table]
    private let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    private init() {
        var template = Array("/dev/shm/latchkey-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no directory") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/keychain.db"
        do {
            database = try ItemDatabase(path: path, clock: { 800_000_000_000_000 })
            tables = try database.read { reader in
                let schema = """
                    SELECT tables.name, count(*) FROM sqlite_schema AS tables, pragma_table_xinfo(tables.name)
                    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name NOT LIKE 'grdb%'
                    GROUP BY 1 ORDER BY 1
                    """
                return try reader.connection.table(schema).map { row in
                    let (name, count) = (try row.text(0), Int(try row.integer(1)))
                    let values = [String](repeating: "?", count: count).joined(separator: ", ")
                    return Table(insertion: "INSERT OR REPLACE INTO \(name) VALUES (\(values))", columnCount: count)
                }
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    func run(_ input: [UInt8]) {
        do {
            try database.write { [self] writer in
                try writer.connection.run("SAVEPOINT input")
                var rest = input[...]
                let step = Int(rest.popFirst() ?? 0)
                for _ in 0..<6 where !rest.isEmpty { insert(&rest, writer) }
                read(writer.reader, step / 9)
                try? write(writer, step)
                try writer.connection.run("ROLLBACK TO input")
                try writer.connection.run("RELEASE input")
            }
        } catch {
            preconditionFailure("\(error)")
        }
    }

    // MARK: Rows

    /// A row that its table refuses is left out.
    private func insert(_ input: inout ArraySlice<UInt8>, _ writer: ItemWriter) {
        let table = tables[Int(input.popFirst() ?? 0) % tables.count]
        let values = (0..<table.columnCount).map { _ in value(&input) }
        try? writer.connection.run(table.insertion, values)
    }

    private func value(_ input: inout ArraySlice<UInt8>) -> ColumnValue {
        func bytes(_ count: Int) -> ArraySlice<UInt8> {
            defer { input = input.dropFirst(count) }
            return input.prefix(count)
        }
        func small() -> UInt8 { bytes(1).first ?? 0 }
        switch (input.popFirst() ?? 0) % 11 {
        case 0: return .null
        case 1: return .integer(Int64(small()))
        case 2: return .integer(bytes(8).reduce(0) { $0 << 8 | Int64($1) })
        case 3: return .integer(small() & 1 == 0 ? .min : .max)
        case 4: return .integer(Int64(bytes(4).reduce(0) { $0 << 8 | UInt32($1) }))
        case 5: return .integer(Int64(UInt32.max))
        case 6: return .bytes(Array(bytes(Int(small()))))
        case 7: return .bytes([UInt8](repeating: small(), count: 16))
        case 8: return .bytes([UInt8](repeating: small(), count: 32))
        case 9:
            let texts = ["genp", "inet", "cert", "keys", "quarantine", "syncconflicts", "joined", "group"]
            return .text(texts[Int(small()) % texts.count])
        default: return .text(String(decoding: bytes(Int(small()) % 32), as: UTF8.self))
        }
    }

    // MARK: The readers

    private func read(_ reader: ItemReader, _ part: Int) {
        let name = [UInt8](repeating: 1, count: 16)
        switch part % 5 {
        case 0:
            for itemClass in classes {
                var filter = RowFilter(itemClass: itemClass)
                filter.isTombstone = nil
                _ = try? reader.rows(matching: filter, limit: 8, withSecret: true)
                _ = try? reader.unboundRows(of: itemClass, keyClass: 6, after: 0, limit: 8)
                _ = try? reader.unsharedRows(of: itemClass)
                _ = try? reader.stampOfUnnamed(RowPlace(itemClass, 1))
            }
        case 1:
            for itemClass in classes {
                _ = try? reader.endedRows(matching: RowFilter(itemClass: itemClass), limit: 8)
                _ = try? reader.unnamedRows(of: itemClass, after: .min, limit: 8)
            }
            _ = try? reader.endedCounts()
            _ = try? reader.keyClassesOfUnboundRows()
            _ = try? RowNumbers(reader.connection)
        case 2:
            for former in (try? reader.formerDigests()) ?? [] { _ = try? reader.page(of: former, limit: 1) }
            _ = try? reader.syncConflicts()
            _ = try? reader.teams()
            _ = try? reader.apps()
        case 3:
            _ = try? reader.syncItems()
            _ = try? reader.syncReplaced()
            _ = try? reader.syncChanges()
            _ = try? reader.syncChanges(after: .min, about: 1)
            _ = try? reader.syncDeletion(of: name).map(\.time)
            _ = try? reader.modificationDate(ofRowNamed: name)
            _ = try? reader.lastUnnamedChange()
        default:
            _ = try? reader.syncClock()
            _ = try? reader.syncStatements()
            _ = try? reader.syncKeys()
            _ = try? reader.syncSnapshots()
            _ = try? reader.syncStreams()
            _ = try? reader.syncKnowledge()
            _ = try? reader.syncPending()
            _ = try? reader.syncHeads()
        }
    }

    /// The transactions of a call and of sync.
    private func write(_ writer: ItemWriter, _ step: Int) throws {
        switch step % 9 {
        case 0: _ = try writer.raiseSyncClock(to: SyncClockRow(epoch: 3, time: 9, count: 9))
        case 1: _ = try writer.makeSyncVersions(3, inEpoch: 1, at: 5)
        case 2: try writer.dropSyncVersions()
        case 3: try writer.forgetOldDeletions()
        case 4: try writer.enterCircle(as: [UInt8](repeating: 7, count: 16))
        case 5: try writer.deleteEverything()
        case 6: try writer.forgetOldestEndedRows()
        case 7:
            for former in try writer.reader.formerDigests() {
                try writer.finish(former, next: try writer.reader.page(of: former, limit: 1).next)
            }
        default:
            var filter = RowFilter(itemClass: .genericPassword)
            filter.isTombstone = nil
            for row in try writer.reader.rows(matching: filter, limit: 4, withSecret: true) {
                try writer.update(row)
                let place = RowPlace(.genericPassword, row.rowID)
                try writer.keepSyncConflict(rowAt: place, name: [1], version: nil, reason: .overruled, at: 1)
                try writer.quarantine(row, reason: "a reason", at: 1)
                try writer.delete(row)
            }
        }
    }
}
