import GRDBSQLite

/// How large the rows are that a device stores.
enum RowSize {
    /// Bytes of all columns of a password's row, on average.
    static func average(in device: String) throws -> Int {
        var opened: OpaquePointer?
        let path = device + "/keychain/keychain.db"
        guard sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY, nil) == SQLITE_OK, let database = opened else {
            throw Failure("cannot open \(path)")
        }
        defer { sqlite3_close(database) }
        let columns = try texts("SELECT name FROM pragma_table_info('genp')", database)
        let sum = columns.map { "coalesce(length(CAST(\"\($0)\" AS BLOB)), 0)" }.joined(separator: " + ")
        guard let size = try texts("SELECT CAST(avg(\(sum)) AS INTEGER) FROM genp", database).first.flatMap({ Int($0) })
        else { throw Failure("the device holds no rows") }
        return size
    }

    private static func texts(_ sql: String, _ database: OpaquePointer) throws -> [String] {
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v2(database, sql, -1, &prepared, nil) == SQLITE_OK else {
            throw Failure("\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
        defer { sqlite3_finalize(prepared) }
        var texts: [String] = []
        while sqlite3_step(prepared) == SQLITE_ROW {
            if let text = sqlite3_column_text(prepared, 0) { texts.append(String(cString: text)) }
        }
        return texts
    }
}
