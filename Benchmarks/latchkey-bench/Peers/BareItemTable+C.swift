import GRDBSQLite

/// SQLite alone, writing the rows that a device writes: the same table, indexes and lengths, without a keychain.
///
/// The file is a copy of the device's own, so its schema is that of the current database format. A new row has the
/// values of a stored one, with random bytes in place of the tokens, names and ciphertexts that differ between items.
final class BareItemTable {
    private enum Value {
        case null
        case number(Int64)
        case text(String)
        case bytes([UInt8])
        case random(count: Int)
    }

    /// The token of the service: the population has a hundred of them, and so have the items that the rows add.
    private static let repeatedColumn = "t_svce"

    private let file: SQLiteFile
    private let insert: OpaquePointer
    private let templates: [[Value]]
    private var rowCount = 0
    private var lastRow: Int64
    private var random = QuickRandomBytes()

    /// Copies the database of a device, with what is still in its log.
    static func copy(of device: String, to path: String) throws {
        try SQLiteFile(device + "/keychain/keychain.db").execute("VACUUM INTO '\(path)'")
    }

    /// Commands: `commit COUNT ROWS`, so many rows in one commit.
    static func serve(_ arguments: [String]) throws {
        guard arguments.count == 1 else { throw Failure("items FILE") }
        let table = try BareItemTable(arguments[0])
        Worker.serve { words in
            guard words.count == 3, words[0] == "commit", let count = Int(words[1]), let rows = Int(words[2]) else {
                throw Failure("commit COUNT ROWS")
            }
            return try nanoseconds { try table.commit(count, rowsPerCommit: rows) }
        }
    }

    init(_ path: String) throws {
        file = try SQLiteFile(path)
        try file.makeDurable()
        let columns = try file.texts("SELECT name FROM pragma_table_info('genp')")
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        insert = try file.statement("INSERT INTO genp (\(columns.joined(separator: ", "))) VALUES (\(marks))")
        (templates, lastRow) = try Self.rows(file, columns)
    }

    deinit {
        sqlite3_finalize(insert)
    }

    func commit(_ count: Int, rowsPerCommit: Int) throws {
        var left = count
        while left > 0 {
            let rows = min(left, rowsPerCommit)
            // A statement outside of a transaction is one of its own.
            if rows > 1 { try file.execute("BEGIN IMMEDIATE") }
            for _ in 0..<rows { try write() }
            if rows > 1 { try file.execute("COMMIT") }
            left -= rows
        }
    }

    private func write() throws {
        let row = templates[rowCount % templates.count]
        rowCount += 1
        lastRow += 1
        // SQLITE_TRANSIENT: SQLite copies what it gets.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_int64(insert, 1, lastRow)
        for (index, value) in row.enumerated().dropFirst() {
            let place = Int32(index + 1)
            switch value {
            case .null: sqlite3_bind_null(insert, place)
            case .number(let number): sqlite3_bind_int64(insert, place, number)
            case .text(let text): sqlite3_bind_text(insert, place, text, -1, copied)
            case .bytes(let bytes): sqlite3_bind_blob(insert, place, bytes, Int32(bytes.count), copied)
            case .random(let count):
                random.withBytes(count) { bytes in
                    _ = sqlite3_bind_blob(insert, place, bytes.baseAddress, Int32(bytes.count), copied)
                }
            }
        }
        try file.step(insert)
    }

    /// The stored rows as templates, and the last row's number.
    private static func rows(_ file: SQLiteFile, _ columns: [String]) throws -> ([[Value]], Int64) {
        guard columns.first == "rowid" else { throw Failure("the table of passwords does not begin with its number") }
        let selection = try file.statement("SELECT * FROM genp ORDER BY rowid")
        defer { sqlite3_finalize(selection) }
        var rows: [[Value]] = []
        var last: Int64 = 0
        while sqlite3_step(selection) == SQLITE_ROW {
            last = sqlite3_column_int64(selection, 0)
            rows.append(
                columns.enumerated().map { index, name in
                    value(selection, Int32(index), isRepeated: name == repeatedColumn)
                })
        }
        guard !rows.isEmpty else { throw Failure("the device holds no rows") }
        return (rows, last)
    }

    private static func value(_ selection: OpaquePointer, _ column: Int32, isRepeated: Bool) -> Value {
        switch sqlite3_column_type(selection, column) {
        case SQLITE_INTEGER: return .number(sqlite3_column_int64(selection, column))
        case SQLITE_TEXT: return .text(String(cString: sqlite3_column_text(selection, column)))
        case SQLITE_BLOB:
            let start = sqlite3_column_blob(selection, column)
            let bytes = UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(selection, column)))
            return isRepeated ? .bytes([UInt8](bytes)) : .random(count: bytes.count)
        default: return .null
        }
    }
}

/// Bytes that are different each time and cost next to nothing: what is measured is SQLite.
private struct QuickRandomBytes {
    private var state = UInt64.random(in: 0...UInt64.max)
    private var buffer = [UInt64](repeating: 0, count: 64)

    mutating func withBytes(_ count: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        let wordCount = (count + 7) / 8
        if buffer.count < wordCount { buffer = [UInt64](repeating: 0, count: wordCount) }
        for index in 0..<wordCount {
            // SplitMix64.
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
            buffer[index] = word ^ word >> 31
        }
        buffer.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
}
