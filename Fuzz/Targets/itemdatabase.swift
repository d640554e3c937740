import GRDBSQLite
import Glibc
import LatchkeyItemDatabase
import LatchkeyItemModel

/// Rows that an attacker has put into the database of items: every reader reads them, and the transactions of calls and of
/// sync work above them. The first byte of a row names its table, then each column is a value of any type.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start: start, count: count)[...]
    let stage = Stage.only
    stage.execute("BEGIN")
    for _ in 0..<6 where !input.isEmpty { stage.insert(&input) }
    stage.execute("COMMIT")
    stage.read()
    stage.write()
    stage.clear()
    return 0
}

private final class Stage {
    nonisolated(unsafe) static let only = Stage()

    private struct Table {
        let name: String
        let statement: OpaquePointer
        let columnCount: Int32
    }

    private struct Undo: Error {}

    private let database: ItemDatabase
    private let connection: OpaquePointer
    private var tables: [Table] = []
    private let classes: [ItemClass] = [.genericPassword, .internetPassword, .certificate, .key]

    private init() {
        var template = Array("/dev/shm/latchkey-fuzz-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { preconditionFailure("no directory") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/keychain.db"
        guard let database = try? ItemDatabase(path: path, clock: { 800_000_000_000_000 }) else {
            preconditionFailure("the database does not open")
        }
        self.database = database
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else { preconditionFailure("no connection") }
        connection = opened
        // In the memory of this process alone, so nothing has to last.
        execute("PRAGMA synchronous = OFF")
        for name in names() {
            let columns = Self.prepare(connection, "SELECT * FROM \(name)")
            let columnCount = sqlite3_column_count(columns)
            sqlite3_finalize(columns)
            let values = [String](repeating: "?", count: Int(columnCount)).joined(separator: ", ")
            let statement = Self.prepare(connection, "INSERT OR REPLACE INTO \(name) VALUES (\(values))")
            tables.append(Table(name: name, statement: statement, columnCount: columnCount))
        }
        execute("CREATE TEMP TABLE numbers AS SELECT * FROM rownumbers")
    }

    private static func prepare(_ connection: OpaquePointer, _ sql: String) -> OpaquePointer {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            preconditionFailure("\(sql): \(String(cString: sqlite3_errmsg(connection)))")
        }
        return statement
    }

    private func names() -> [String] {
        let all =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'grdb%'"
        let statement = Self.prepare(connection, all + " ORDER BY name")
        defer { sqlite3_finalize(statement) }
        var names: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW { names.append(String(cString: sqlite3_column_text(statement, 0))) }
        return names
    }

    func execute(_ sql: String) {
        guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
            preconditionFailure("\(sql): \(String(cString: sqlite3_errmsg(connection)))")
        }
    }

    // MARK: Rows

    /// A row that its table refuses is left out.
    func insert(_ input: inout Input.SubSequence) {
        let table = tables[Int(input.popFirst() ?? 0) % tables.count]
        for column in 1...table.columnCount { bind(&input, table.statement, column) }
        _ = sqlite3_step(table.statement)
        sqlite3_reset(table.statement)
        sqlite3_clear_bindings(table.statement)
    }

    private func bind(_ input: inout Input.SubSequence, _ statement: OpaquePointer, _ column: Int32) {
        func bytes(_ count: Int) -> [UInt8] {
            defer { input = input.dropFirst(count) }
            return Array(input.prefix(count))
        }
        func blob(_ bytes: [UInt8]) { sqlite3_bind_blob(statement, column, bytes, Int32(bytes.count), Self.transient) }
        switch (input.popFirst() ?? 0) % 12 {
        case 0: sqlite3_bind_null(statement, column)
        case 1: sqlite3_bind_int64(statement, column, Int64(bytes(1).first ?? 0))
        case 2: sqlite3_bind_int64(statement, column, bytes(8).reduce(0) { $0 << 8 | Int64($1) })
        case 3: sqlite3_bind_int64(statement, column, bytes(1).first.map { $0 & 1 == 0 ? .min : .max } ?? -1)
        case 4: sqlite3_bind_double(statement, column, Double(bitPattern: bytes(8).reduce(0) { $0 << 8 | UInt64($1) }))
        case 5: blob(bytes(Int(bytes(1).first ?? 0)))
        case 6: blob([UInt8](repeating: bytes(1).first ?? 0, count: 16))
        case 7: blob([UInt8](repeating: bytes(1).first ?? 0, count: 32))
        case 8:
            let text = ["genp", "inet", "cert", "keys", "quarantine", "syncconflicts", "joined", "a.group"]
            sqlite3_bind_text(statement, column, text[Int(bytes(1).first ?? 0) % text.count], -1, Self.transient)
        case 9: sqlite3_bind_int64(statement, column, Int64(bytes(4).reduce(0) { $0 << 8 | UInt32($1) }))
        case 10: sqlite3_bind_int64(statement, column, Int64(UInt32.max))
        default:
            let text = String(decoding: bytes(Int(bytes(1).first ?? 0) % 32), as: UTF8.self)
            sqlite3_bind_text(statement, column, text, -1, Self.transient)
        }
    }

    private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

    func clear() {
        let all = tables.map { "DELETE FROM \($0.name);" }.joined()
        execute("BEGIN; \(all) INSERT INTO rownumbers SELECT * FROM temp.numbers; COMMIT")
    }

    // MARK: The readers

    func read() {
        try? database.readTogether { reader in
            let name = [UInt8](repeating: 1, count: 16)
            for itemClass in classes {
                var filter = RowFilter(itemClass: itemClass)
                filter.isTombstone = nil
                _ = try? reader.rows(matching: filter, limit: 8, withSecret: true)
                _ = try? reader.endedRows(matching: filter, limit: 8)
                _ = try? reader.unboundRows(of: itemClass, keyClass: 6, after: 0, limit: 8)
                _ = try? reader.unnamedRows(of: itemClass, after: .min, limit: 8)
                _ = try? reader.stampOfUnnamed(RowPlace(itemClass, 1))
                _ = try? reader.unsharedRows(of: itemClass)
                _ = try? reader.itemCount(of: itemClass)
            }
            _ = try? reader.keyClassesOfUnboundRows()
            for former in (try? reader.formerDigests()) ?? [] { _ = try? reader.page(of: former, limit: 1) }
            _ = try? reader.syncItems()
            _ = try? reader.syncReplaced()
            _ = try? reader.syncChanges()
            _ = try? reader.syncChanges(after: .min, about: 1)
            _ = try? reader.syncDeletion(of: name).map(\.time)
            _ = try? reader.modificationDate(ofRowNamed: name)
            _ = try? reader.lastUnnamedChange()
            _ = try? reader.syncClock()
            _ = try? reader.syncStatements()
            _ = try? reader.syncKeys()
            _ = try? reader.syncSnapshots()
            _ = try? reader.syncConflicts()
            _ = try? reader.syncStreams()
            _ = try? reader.syncKnowledge()
            _ = try? reader.syncPending()
            _ = try? reader.syncHeads()
            _ = try? reader.teams()
            _ = try? reader.apps()
            _ = try? reader.endedCounts()
        }
        try? database.catchUpWithNumbers()
    }

    /// The transactions of a call and of sync, each undone.
    func write() {
        let steps: [(ItemWriter) throws -> Void] = [
            { _ = try $0.raiseSyncClock(to: SyncClockRow(epoch: 3, time: 9, count: 9)) },
            { _ = try $0.makeSyncVersions(3, inEpoch: 1, at: 5) },
            { try $0.dropSyncVersions() },
            { try $0.forgetOldDeletions() },
            { try $0.enterCircle(as: [UInt8](repeating: 7, count: 16)) },
            { try $0.deleteEverything() },
            { try $0.forgetOldestEndedRows() },
            { writer in
                for former in try writer.reader.formerDigests() {
                    try writer.finish(former, next: try writer.reader.page(of: former, limit: 1).next)
                }
            },
            { writer in
                var filter = RowFilter(itemClass: .genericPassword)
                filter.isTombstone = nil
                for row in try writer.reader.rows(matching: filter, limit: 4, withSecret: true) {
                    try writer.update(row)
                    try writer.keepSyncConflict(
                        rowAt: RowPlace(.genericPassword, row.rowID), name: [1], version: nil, reason: .overruled, at: 1
                    )
                    try writer.quarantine(row, reason: "a reason", at: 1)
                    try writer.delete(row)
                }
            },
        ]
        for step in steps {
            try? database.write { writer in
                try step(writer)
                throw Undo()
            }
        }
    }
}
