import GRDBSQLite

/// The limit of an add: SQLite alone, committing one row of about the same size with the same durability.
enum BareSQLite {
    /// Commands: `commit COUNT`.
    static func serve(_ arguments: [String]) throws {
        guard arguments.count == 2, let byteCount = Int(arguments[1]) else { throw Failure("sqlite FILE ROW-BYTES") }
        let file = try SQLiteFile(arguments[0])
        try file.makeDurable()
        try file.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, content BLOB NOT NULL)")
        let insert = try file.statement("INSERT INTO item (content) VALUES (?)")
        defer { sqlite3_finalize(insert) }
        let row = [UInt8](repeating: 0x5A, count: byteCount)
        Worker.serve { words in
            guard words.count == 2, words[0] == "commit", let count = Int(words[1]) else {
                throw Failure("commit COUNT")
            }
            return try nanoseconds {
                for _ in 0..<count {
                    row.withUnsafeBytes { bytes in
                        // A null destructor means that the bytes outlive the step, which they do.
                        _ = sqlite3_bind_blob(insert, 1, bytes.baseAddress, Int32(bytes.count), nil)
                    }
                    try file.step(insert)
                }
            }
        }
    }
}
