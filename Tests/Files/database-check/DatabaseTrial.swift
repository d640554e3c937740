import Foundation
import GRDBSQLite
import LatchkeyCryptoSuite
import LatchkeyDatabaseFiles
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// A fault that was found.
struct Finding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A device in a directory of its own, unlocked, with a database beside it.
struct DatabaseTrial {
    private let directory: String
    private let mode: String
    private let device: EmbeddedDevice

    private static let passcode = "1234"

    /// Transactions, each of more pages than SQLite keeps in memory, so that it reaches the files before its end. The last one
    /// copies a write-ahead log.
    static let transactions = [
        "BEGIN; UPDATE letter SET text = 'one ' || text; COMMIT",
        "BEGIN; DELETE FROM letter WHERE number % 3 = 0; COMMIT",
        "PRAGMA wal_checkpoint(TRUNCATE); BEGIN; INSERT INTO letter (text) SELECT 'new ' || text FROM letter; COMMIT",
    ]
    private static let rowCount = 90
    /// The rows after 0, 1, 2… transactions.
    private static let states: [[String]] = {
        var rows = (1...rowCount).map { ($0, filler("\($0)")) }
        var states = [rows]
        rows = rows.map { ($0.0, "one " + $0.1) }
        states.append(rows)
        rows = rows.filter { $0.0 % 3 != 0 }
        states.append(rows)
        let last = rows[rows.count - 1].0
        rows += rows.enumerated().map { (last + 1 + $0.offset, "new " + $0.element.1) }
        states.append(rows)
        return states.map { $0.map { "\($0.0) \($0.1)" } }
    }()

    private static func filler(_ text: String) -> String { text + String(repeating: "-", count: 300) }

    /// - Parameter isNew: the device is to be made, and gets its passcode.
    init(in directory: String, mode: String, isNew: Bool) throws {
        self.directory = directory
        self.mode = mode
        device = try EmbeddedDevice(
            directory: directory + "/device", clock: SystemClock(), entropy: SystemEntropy(),
            passcodeCost: .fixed(log2Cost: 4))
        let keychain = device.keychain(for: Caller(name: "database-check", accessGroups: ["database-check"]))
        let passcode = { SecretBox(copying: Array(Self.passcode.utf8)) }
        if isNew {
            _ = try keychain.ask(SetPasscode(passcode()))
        } else {
            _ = try keychain.ask(UnlockDevice(passcode()))
        }
        let code = DatabaseVFS.register { () throws(AccessFailure) in FileVault.of(keychain) }
        guard code == SQLITE_OK else { throw Finding("SQLite did not take the file system: \(code)") }
    }

    func close() { device.close() }

    /// The folder of the database.
    var folder: String { directory + "/data" }
    private var path: String { folder + "/a.db" }

    /// A new database, in place of the last one.
    func makeDatabase() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let database = try open()
        defer { database.close() }
        try database.run("CREATE TABLE letter (number INTEGER PRIMARY KEY, text TEXT); BEGIN")
        for number in 1...Self.rowCount {
            try database.run("INSERT INTO letter (text) VALUES ('\(Self.filler("\(number)"))')")
        }
        try database.run("COMMIT")
    }

    func open() throws -> Database {
        let database = try Database(DatabaseURI(path: path, protection: .complete).text)
        try database.run("PRAGMA cache_size = 4; PRAGMA journal_mode = \(mode); PRAGMA synchronous = FULL")
        return database
    }

    /// The number of transactions that rows are those of.
    func committed(in rows: [String], _ possible: ClosedRange<Int>, _ context: String) throws -> Int {
        guard let found = possible.first(where: { Self.states[$0] == rows }) else {
            throw Finding("\(context): \(rows.count) rows, which are those of none of \(possible) transactions")
        }
        return found
    }

    /// Opens the database anew and compares it with what was committed.
    ///
    /// - Parameter mayHaveMore: a transaction that was cut off may be there as a whole.
    func check(committed count: Int, mayHaveMore: Bool = true, _ context: String) throws {
        let database = try open()
        defer { database.close() }
        let last = mayHaveMore ? min(count + 1, Self.transactions.count) : count
        _ = try committed(in: database.rows(), min(count, Self.transactions.count)...last, context)
        guard try database.isIntact() else { throw Finding("\(context): the database is damaged") }
    }
}

/// A connection of SQLite.
final class Database {
    private var database: OpaquePointer?

    init(_ uri: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI
        let code = sqlite3_open_v2(uri, &database, flags, nil)
        guard code == SQLITE_OK else {
            close()
            throw Finding("the database does not open: \(code)")
        }
    }

    deinit {
        close()
    }

    func close() {
        sqlite3_close_v2(database)
        database = nil
    }

    /// Runs statements and returns their rows, with a blank between columns.
    @discardableResult
    func run(_ sql: String) throws -> [String] {
        var rows: [String] = []
        let code = withUnsafeMutablePointer(to: &rows) { rows in
            sqlite3_exec(
                database, sql,
                { rows, count, values, _ in
                    let columns = (0..<Int(count)).map { values?[$0].map { String(cString: $0) } ?? "NULL" }
                    rows?.assumingMemoryBound(to: [String].self).pointee.append(columns.joined(separator: " "))
                    return 0
                }, rows, nil)
        }
        guard code == SQLITE_OK else { throw Finding("\(String(cString: sqlite3_errmsg(database))) (\(code))") }
        return rows
    }

    func rows() throws -> [String] { try run("SELECT number, text FROM letter ORDER BY number") }

    func isIntact() throws -> Bool { try run("PRAGMA integrity_check") == ["ok"] }

    func rollBack() {
        if sqlite3_get_autocommit(database) == 0 { _ = try? run("ROLLBACK") }
    }
}
