import Foundation
import GRDBSQLite
import ProtectedSQLite

/// The same statements against a protected database, SQLite alone, and SQLCipher.
final class DatabaseClient {
    /// The library that runs the statements.
    enum Library: String {
        case protected, plain, sqlcipher
    }

    private typealias Exec =
        @convention(c) (
            OpaquePointer?, UnsafePointer<CChar>?,
            (
                @convention(c) (
                    UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
                    UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
                ) -> Int32
            )?, UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        ) -> Int32
    private typealias Open =
        @convention(c) (
            UnsafePointer<CChar>?, UnsafeMutablePointer<OpaquePointer?>?, Int32, UnsafePointer<CChar>?
        ) -> Int32
    private typealias Close = @convention(c) (OpaquePointer?) -> Int32

    private struct Calls {
        let open: Open
        let exec: Exec
        let close: Close
    }

    static let cipherLibrary = "libsqlcipher.so.0"

    private lazy var parts = Workload.parts

    /// Runs the workload in a new database.
    func run(_ library: Library, _ folder: String, mode: String) throws -> UInt64 {
        let path = "\(folder)/latchkey-bench-file-\(getpid())-\(library).db"
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(path + suffix) }
        let calls = try calls(library)
        let parts = parts
        return try nanoseconds {
            var database: OpaquePointer?
            guard calls.open(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nil) == SQLITE_OK else {
                throw Failure("cannot open a database of \(library)")
            }
            defer { _ = calls.close(database) }
            let key = String(repeating: "5a", count: 32)
            let first = library == .sqlcipher ? "PRAGMA key = \"x'\(key)'\";" : ""
            for sql in [first + "PRAGMA journal_mode = \(mode)"] + parts {
                let code = calls.exec(database, sql, nil, nil, nil)
                guard code == SQLITE_OK else { throw Failure("\(library) answers \(code) to \(sql.prefix(60))") }
            }
        }
    }

    private func calls(_ library: Library) throws -> Calls {
        switch library {
        case .plain:
            return Calls(open: { GRDBSQLite.sqlite3_open_v2($0, $1, $2, $3) }, exec: sqlite3_exec, close: sqlite3_close)
        case .protected:
            return Calls(
                open: { ProtectedSQLite.sqlite3_open_v2($0, $1, $2 | SQLITE_OPEN_FILEPROTECTION_COMPLETE, $3) },
                exec: sqlite3_exec, close: sqlite3_close)
        case .sqlcipher:
            // Bound to itself first: it has the names of SQLite, which this program has as well.
            guard let handle = dlopen(Self.cipherLibrary, RTLD_NOW | RTLD_LOCAL | 0x8 /* RTLD_DEEPBIND */),
                let open = dlsym(handle, "sqlite3_open_v2"), let exec = dlsym(handle, "sqlite3_exec"),
                let close = dlsym(handle, "sqlite3_close")
            else { throw Failure("\(Self.cipherLibrary) cannot be loaded") }
            return Calls(
                open: unsafeBitCast(open, to: Open.self), exec: unsafeBitCast(exec, to: Exec.self),
                close: unsafeBitCast(close, to: Close.self))
        }
    }
}

/// Statements in the manner of SQLite's `speedtest1`: many small ones in transactions, an index, searches, changes.
private enum Workload {
    private static let rowCount = 50_000

    static let parts: [String] = {
        var random = Sequence(state: 88_172_645_463_325_252)
        let number = { Int(random.next() % UInt64(rowCount)) + 1 }
        func insert(_ row: Int) -> String {
            "INSERT INTO entry VALUES (\(row), \(number()), 'entry \(number()) of \(row): \(String(repeating: "text ", count: row % 24))');"
        }
        let filling = (1...rowCount).map(insert).joined()
        let commits = (0..<500).map { commit in
            "BEGIN;" + (0..<10).map { insert(rowCount + 1 + commit * 10 + $0) }.joined() + "COMMIT;"
        }.joined()
        let searches = (0..<20_000).map { _ in "SELECT text FROM entry WHERE number = \(number());" }.joined()
        let ranges = (0..<200).map { _ -> String in
            let first = number()
            return "SELECT sum(length(text)) FROM entry WHERE id BETWEEN \(first) AND \(first + 500);"
        }.joined()
        let updates = (0..<10_000).map { _ in "UPDATE entry SET number = \(number()) WHERE id = \(number());" }.joined()
        return [
            "CREATE TABLE entry (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)", "BEGIN;" + filling + "COMMIT",
            "CREATE INDEX by_number ON entry (number)", commits, searches, ranges, "BEGIN;" + updates + "COMMIT",
            "UPDATE entry SET text = text || ' again' WHERE id % 5 = 0", "DELETE FROM entry WHERE number % 10 = 3",
            "SELECT count(*) FROM entry WHERE text LIKE '%text again'", "PRAGMA integrity_check",
        ]
    }()

    /// The same numbers in every run (xorshift).
    private struct Sequence {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state >> 11
        }
    }
}
