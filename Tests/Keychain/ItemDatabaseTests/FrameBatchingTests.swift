import Foundation
import Glibc
import LatchkeyItemDatabase
import LatchkeyTestSupport
import Testing

@_implementationOnly import GRDBSQLite

/// A connection to a database, by SQLite's own interface.
private final class Connection {
    private var database: OpaquePointer?

    /// - Parameter fileSystem: nil for the default.
    init(_ path: String, fileSystem: String?) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        guard sqlite3_open_v2(path, &database, flags, fileSystem) == SQLITE_OK else { throw Refused() }
        sqlite3_busy_timeout(database, 10_000)
    }

    deinit { sqlite3_close_v2(database) }

    /// Returns the result code of the statements.
    @discardableResult
    func run(_ statements: String) -> Int32 { sqlite3_exec(database, statements, nil, nil, nil) }

    func texts(_ query: String) -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(database, query, -1, &statement, nil) == SQLITE_OK else { return [] }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "NULL")
        }
        return texts
    }
}

/// The file system that writes the frames of a transaction together. Its connections are compared with those of SQLite's own.
@Suite struct FrameBatchingTests {
    private static let isRegistered = FrameBatching.register(forAll: false)

    private func connection(_ path: String) throws -> Connection {
        #expect(Self.isRegistered)
        return try Connection(path, fileSystem: FrameBatching.fileSystem)
    }

    @Test("the writer of the items keeps pages in memory until a transaction ends") func spill() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        #expect(try database.testOnlyWriterSetting("cache_spill") == 0)
    }

    @Test(
        "other connections see each transaction, and nothing else, whatever was done in it",
        arguments: ["FULL", "NORMAL", "OFF"], 1...8 as ClosedRange<UInt64>)
    func model(_ synchronous: String, seed: UInt64) throws {
        let file = try DatabaseFile()
        var random = SplitMix(seed: seed)
        let pageSize = [512, 4_096, 65_536][Int.random(in: 0..<3, using: &random)]
        let writer = try connection(file.path)
        writer.run("PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL; PRAGMA synchronous = \(synchronous)")
        writer.run(
            "PRAGMA cache_size = \([4, 50, 2_000][Int.random(in: 0..<3, using: &random)]); PRAGMA cache_spill = OFF")
        writer.run("CREATE TABLE items (name BLOB PRIMARY KEY, content BLOB) WITHOUT ROWID")
        let reader = try Connection(file.path, fileSystem: nil)
        let contents = "SELECT hex(name) || hex(content) FROM items ORDER BY name"
        var known: [String] = []
        for _ in 1...60 {
            writer.run("BEGIN")
            for _ in 0..<Int.random(in: 1...30, using: &random) { change(writer, &random) }
            let inside = writer.texts(contents)
            #expect(reader.texts(contents) == known)
            if Bool.random(using: &random) {
                #expect(writer.run("COMMIT") == SQLITE_OK)
                known = inside
            } else {
                #expect(writer.run("ROLLBACK") == SQLITE_OK)
            }
            #expect(reader.texts(contents) == known && writer.texts(contents) == known)
            let checkpoint = ["", "PASSIVE", "RESTART", "TRUNCATE"][Int.random(in: 0..<4, using: &random)]
            if !checkpoint.isEmpty { writer.run("PRAGMA wal_checkpoint(\(checkpoint))") }
        }
        // A process that is killed now leaves these files.
        let copy = try DatabaseFile()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: file.path + suffix, toPath: copy.path + suffix)
        }
        let found = try Connection(copy.path, fileSystem: nil)
        #expect(found.texts(contents) == known && found.texts("PRAGMA integrity_check") == ["ok"])
    }

    private func change(_ writer: Connection, _ random: inout SplitMix) {
        let name = "x'\(String(format: "%04x", Int.random(in: 0..<400, using: &random)))'"
        switch Int.random(in: 0..<6, using: &random) {
        case 0: writer.run("DELETE FROM items WHERE name = \(name)")
        case 1: writer.run("SAVEPOINT inner; DELETE FROM items WHERE name > \(name); ROLLBACK TO inner; RELEASE inner")
        default:
            let count = Int.random(in: 1...3_000, using: &random)
            writer.run("INSERT OR REPLACE INTO items VALUES (\(name), randomblob(\(count)))")
        }
    }

    @Test(
        "a full disk fails the transaction and leaves those before it",
        .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 1)
        let path = disk.path + "/items.db"
        let writer = try connection(path)
        writer.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE items (content BLOB)")
        var (outcome, count) = (SQLITE_OK, 0)
        while outcome == SQLITE_OK, count < 1_000 {
            outcome = writer.run("INSERT INTO items VALUES (randomblob(20000))")
            if outcome == SQLITE_OK { count += 1 }
        }
        #expect(outcome == SQLITE_FULL && count > 5)
        for connection in [writer, try Connection(path, fileSystem: nil)] {
            #expect(connection.texts("SELECT count(*) FROM items") == ["\(count)"])
            #expect(connection.texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    @Test("a transaction of ten pages is two calls, one to write and one to synchronize") func callsInOwnProcess() async
    {
        await #expect(processExitsWith: .success) {
            let file = try DatabaseFile()
            FrameBatching.register(forAll: true)
            let writer = try Connection(file.path, fileSystem: nil)
            writer.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE items (content BLOB)")
            writer.run("INSERT INTO items VALUES (zeroblob(40000))")
            func writes() throws -> Int {
                let text = try String(contentsOfFile: "/proc/self/io", encoding: .utf8)
                let line = text.split(separator: "\n").first { $0.hasPrefix("syscw") }
                return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
            }
            let before = try writes()
            for _ in 1...50 { writer.run("UPDATE items SET content = randomblob(40000)") }
            let count = try writes() - before
            precondition((50...60).contains(count), "\(count) calls")
        }
    }
}
