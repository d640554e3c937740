import GRDBSQLite

/// An open database file, without anything between the caller and SQLite.
final class SQLiteFile {
    let database: OpaquePointer

    init(_ path: String, isReadOnly: Bool = false) throws {
        var opened: OpaquePointer?
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(path, &opened, flags, nil) == SQLITE_OK, let database = opened else {
            sqlite3_close(opened)
            throw Failure("cannot open \(path)")
        }
        self.database = database
    }

    deinit {
        // Statements that are still open keep the connection until they are finalised.
        sqlite3_close_v2(database)
    }

    /// Makes every commit last, as the daemon's do: write-ahead log, one sync for each commit.
    func makeDurable() throws {
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
    }

    func execute(_ sql: String) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else { throw failure(sql) }
    }

    func statement(_ sql: String) throws -> OpaquePointer {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &prepared, nil) == SQLITE_OK, let statement = prepared else {
            throw failure(sql)
        }
        return statement
    }

    /// The first column of every row.
    func texts(_ sql: String) throws -> [String] {
        let selection = try statement(sql)
        defer { sqlite3_finalize(selection) }
        var texts: [String] = []
        while sqlite3_step(selection) == SQLITE_ROW {
            if let text = sqlite3_column_text(selection, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }

    /// Runs a statement that gives no rows.
    func step(_ statement: OpaquePointer) throws {
        let outcome = sqlite3_step(statement)
        sqlite3_reset(statement)
        guard outcome == SQLITE_DONE else { throw failure("a statement") }
    }

    private func failure(_ sql: String) -> Failure {
        Failure("\(sql): \(String(cString: sqlite3_errmsg(database)))")
    }
}
