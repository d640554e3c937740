import Foundation
import GRDBSQLite

/// The limit of an add: SQLite alone, committing one row of about the same size with the same durability.
enum BareSQLite {
    /// Commands: `commit COUNT`.
    static func serve(_ arguments: [String]) throws {
        guard arguments.count == 2, let byteCount = Int(arguments[1]) else { throw Failure("sqlite FILE ROW-BYTES") }
        var opened: OpaquePointer?
        guard sqlite3_open(arguments[0], &opened) == SQLITE_OK, let database = opened else {
            throw Failure("cannot open \(arguments[0])")
        }
        try execute("PRAGMA journal_mode = WAL", database)
        try execute("PRAGMA synchronous = FULL", database)
        try execute("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB NOT NULL)", database)
        var prepared: OpaquePointer?
        guard
            sqlite3_prepare_v2(database, "INSERT INTO item (content) VALUES (?)", -1, &prepared, nil) == SQLITE_OK,
            let insert = prepared
        else { throw Failure("cannot prepare: \(String(cString: sqlite3_errmsg(database)))") }
        let row = [UInt8](repeating: 0x5A, count: byteCount)
        Worker.serve { words in
            guard words.count == 2, words[0] == "commit", let count = Int(words[1]) else {
                throw Failure("commit COUNT")
            }
            return try nanoseconds {
                for _ in 0..<count { try commit(insert, row, database) }
            }
        }
    }

    private static func commit(_ insert: OpaquePointer, _ row: [UInt8], _ database: OpaquePointer) throws {
        row.withUnsafeBytes { bytes in
            // A null destructor means that the bytes outlive the step, which they do.
            _ = sqlite3_bind_blob(insert, 1, bytes.baseAddress, Int32(bytes.count), nil)
        }
        let outcome = sqlite3_step(insert)
        sqlite3_reset(insert)
        guard outcome == SQLITE_DONE else { throw Failure(String(cString: sqlite3_errmsg(database))) }
    }

    private static func execute(_ sql: String, _ database: OpaquePointer) throws {
        guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure("\(sql): \(String(cString: sqlite3_errmsg(database)))")
        }
    }
}
