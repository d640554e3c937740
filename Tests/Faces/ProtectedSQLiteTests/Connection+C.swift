import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting
import Testing

/// A connection of a test. All calls are made on the thread that has it.
final class Connection: @unchecked Sendable {
    // Sendable because SQLite's default threading mode serializes calls.
    let database: OpaquePointer

    struct Failure: Error, Equatable, CustomStringConvertible {
        /// Extended.
        let code: Int32
        let description: String

        static func == (left: Failure, right: Failure) -> Bool { left.code == right.code }
    }

    /// Opens a URI, or a path with flags.
    init(
        _ name: String, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs: String? = nil
    ) throws {
        var opened: OpaquePointer?
        let code = ProtectedSQLite.sqlite3_open_v2(name, &opened, flags, vfs)
        guard code == SQLITE_OK, let opened else {
            defer { sqlite3_close(opened) }
            throw Failure(
                code: opened == nil ? code : sqlite3_extended_errcode(opened),
                description: String(cString: sqlite3_errmsg(opened)))
        }
        database = opened
        sqlite3_extended_result_codes(opened, 1)
    }

    deinit {
        sqlite3_close_v2(database)
    }

    /// Runs statements and returns the first column of every row.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        var rows: [String] = []
        let code = withUnsafeMutablePointer(to: &rows) { rows in
            sqlite3_exec(
                database, sql,
                { rows, count, values, _ in
                    let text = count > 0 ? values?[0].map { String(cString: $0) } : nil
                    rows?.assumingMemoryBound(to: [String].self).pointee.append(text ?? "NULL")
                    return 0
                }, rows, nil)
        }
        guard code == SQLITE_OK else {
            throw Failure(code: code, description: String(cString: sqlite3_errmsg(database)))
        }
        return rows
    }

    /// The result code of statements.
    func code(_ sql: String) -> Int32 {
        do {
            try run(sql)
            return SQLITE_OK
        } catch let failure as Failure {
            return failure.code
        } catch {
            return -1
        }
    }

    var isIntact: Bool { get throws { try run("PRAGMA integrity_check") == ["ok"] } }
}

/// The codes that Swift does not import, because they are made by arithmetic.
enum ExtendedCode {
    static let authorization: Int32 = SQLITE_IOERR | 28 << 8
    static let data: Int32 = SQLITE_IOERR | 32 << 8
}

/// A folder of one test, removed with it.
final class DatabaseFolder {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "latchkey-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String) -> String { path + "/" + name }

    /// The names of the files.
    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

    /// True if any file has these bytes.
    func contains(_ text: String) throws -> Bool {
        try names.contains { try Data(contentsOf: URL(fileURLWithPath: file($0))).range(of: Data(text.utf8)) != nil }
    }
}

/// The modes of SQLite's journal.
enum JournalMode: String, CaseIterable {
    case delete, truncate, persist, memory, off, wal

    /// Those that survive the end of the process within a transaction.
    static let durable: [JournalMode] = [.delete, .truncate, .persist, .wal]
}

extension Connection {
    /// The flags of a database in clear.
    static let plain = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE

    convenience init(
        _ name: String, _ mode: JournalMode, flags: Int32 = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
        vfs: String? = nil
    ) throws {
        try self.init(name, flags: flags, vfs: vfs)
        guard try run("PRAGMA journal_mode = \(mode)") == [mode.rawValue] else {
            throw Failure(code: -1, description: "journal mode \(mode) is refused")
        }
    }

    /// A table of letters with an index.
    func makeLetters() throws {
        try run("CREATE TABLE letter (number INTEGER PRIMARY KEY, text TEXT); CREATE INDEX by_text ON letter (text)")
    }

    func addLetters(_ count: Int, _ text: String = "Dear diary, today the phone was locked") throws {
        try run(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
            INSERT INTO letter (text) SELECT '\(text) ' || i FROM n
            """)
    }

    var letterCount: Int { get throws { Int(try run("SELECT count(*) FROM letter")[0]) ?? -1 } }
}
