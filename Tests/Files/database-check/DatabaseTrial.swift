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
    /// True for transactions over two databases.
    let isTogether: Bool
    private let device: EmbeddedDevice

    private static let passcode = "1234"

    /// Transactions, each of more pages than SQLite keeps in memory, so that it reaches the files before its end. The last one
    /// copies a write-ahead log.
    static let oneDatabase = [
        "BEGIN; UPDATE letter SET text = 'one ' || text; COMMIT",
        "BEGIN; DELETE FROM letter WHERE number % 3 = 0; COMMIT",
        "PRAGMA wal_checkpoint(TRUNCATE); BEGIN; INSERT INTO letter (text) SELECT 'new ' || text FROM letter; COMMIT",
    ]
    /// The same in both databases of a connection.
    private static let bothDatabases = [
        "BEGIN; UPDATE letter SET text = 'one ' || text; UPDATE b.letter SET text = 'one ' || text; COMMIT",
        "BEGIN; DELETE FROM b.letter WHERE number % 3 = 0; DELETE FROM main.letter WHERE number % 3 = 0; COMMIT",
        "BEGIN; INSERT INTO main.letter (text) SELECT 'new ' || text FROM main.letter; "
            + "INSERT INTO b.letter (text) SELECT 'new ' || text FROM b.letter; COMMIT",
    ]
    static let transactionCount = oneDatabase.count
    var transactions: [String] { isTogether ? Self.bothDatabases : Self.oneDatabase }

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

    /// - Parameters:
    ///   - mode: of the journal; a plus sign behind it stands for transactions over two databases.
    ///   - isNew: the device is to be made, and gets its passcode.
    init(in directory: String, mode: String, isNew: Bool) throws {
        self.directory = directory
        isTogether = mode.hasSuffix("+")
        self.mode = isTogether ? String(mode.dropLast()) : mode
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
    private var names: [String] { isTogether ? ["a.db", "b.db"] : ["a.db"] }

    /// A new database, in place of the last one.
    func makeDatabase() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        for name in names {
            let database = try open(name)
            defer { database.close() }
            try database.run("CREATE TABLE letter (number INTEGER PRIMARY KEY, text TEXT); BEGIN")
            for number in 1...Self.rowCount {
                try database.run("INSERT INTO letter (text) VALUES ('\(Self.filler("\(number)"))')")
            }
            try database.run("COMMIT")
        }
    }

    /// Opens the database, with the second one if there are two.
    func open() throws -> Database {
        let database = try open("a.db")
        guard isTogether else { return database }
        try database.run("ATTACH '\(uri("b.db"))' AS b")
        try database.run("PRAGMA b.cache_size = 4; PRAGMA b.journal_mode = \(mode); PRAGMA b.synchronous = FULL")
        return database
    }

    private func open(_ name: String) throws -> Database {
        let database = try Database(uri(name))
        try database.run("PRAGMA cache_size = 4; PRAGMA journal_mode = \(mode); PRAGMA synchronous = FULL")
        return database
    }

    private func uri(_ name: String) -> String {
        DatabaseURI(path: folder + "/" + name, protection: .complete).text
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
        let last = mayHaveMore ? min(count + 1, Self.transactionCount) : count
        _ = try committed(in: database.rows(), min(count, Self.transactionCount)...last, context)
        guard try database.isIntact() else { throw Finding("\(context): the database is damaged") }
    }
}

/// Transactions over two databases: whichever is opened first after a kill, both have the same transactions.
extension DatabaseTrial {
    /// An order in which a later process opens the databases.
    private enum Order: String, CaseIterable { case together, firstAlone, secondAlone }

    /// - Returns: true if a list of journals was there, and was removed by the connection that has both databases.
    func checkTogether(committed count: Int, _ context: String) throws -> Bool {
        let hadList = try hasList
        var hasRemovedList = false
        let copy = directory + "/copy"
        try FileManager.default.copyItem(atPath: folder, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for order in Order.allCases {
            // Journals name each other by their paths, so each order begins with the files in their place.
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.copyItem(atPath: copy, toPath: folder)
            try check(order, committed: count, "\(context), opened \(order)")
            if order == .together { hasRemovedList = try hadList && !hasList }
        }
        return hasRemovedList
    }

    /// True if a super-journal is there. One that no journal names yet stays: SQLite does not know of it.
    private var hasList: Bool {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.contains("-mj") } }
    }

    private func check(_ order: Order, committed count: Int, _ context: String) throws {
        let possible = count...min(count + 1, Self.transactionCount)
        let found: [Int]
        switch order {
        case .together:
            let both = try open()
            defer { both.close() }
            found = [
                try committed(in: both.rows(), possible, context),
                try committed(in: both.rows("b."), possible, context),
            ]
            guard try both.isIntact() else { throw Finding("\(context): a database is damaged") }
        case .firstAlone, .secondAlone:
            found = try (order == .firstAlone ? names : names.reversed()).map { name in
                let database = try open(name)
                defer { database.close() }
                guard try database.isIntact() else { throw Finding("\(context): \(name) is damaged") }
                return try committed(in: database.rows(), possible, context)
            }
        }
        guard found[0] == found[1] else {
            throw Finding("\(context): \(found[0]) transactions in the one, \(found[1]) in the other")
        }
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

    /// - Parameter schema: with a period.
    func rows(_ schema: String = "") throws -> [String] {
        try run("SELECT number, text FROM \(schema)letter ORDER BY number")
    }

    func isIntact() throws -> Bool { try run("PRAGMA integrity_check") == ["ok"] }

    func rollBack() {
        if sqlite3_get_autocommit(database) == 0 { _ = try? run("ROLLBACK") }
    }
}
