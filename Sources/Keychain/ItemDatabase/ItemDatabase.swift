import Foundation
import Glibc

@_implementationOnly import GRDB

/// The items of a device in SQLite: write-ahead log, `synchronous=FULL`, one commit shared by concurrent writers.
///
/// Knows rows, columns and tokens, but no keys: what it stores is sealed before it comes here.
package final class ItemDatabase: Sendable {
    private let hidden: SharedHiddenObject
    private var pool: DatabasePool { hidden.object(as: DatabasePool.self) }
    private let commits: GroupCommit
    private let searches: SearchConnections
    private let numbers: RowNumbers

    /// Opens or creates the file; its directory must exist.
    package init(path: String) throws(ItemDatabaseFailure) {
        let pool = try translated { try Self.open(path) }
        hidden = SharedHiddenObject(pool)
        commits = GroupCommit(writer: pool)
        searches = SearchConnections(path: path)
        numbers = try translated {
            try pool.unsafeRead { try RowNumbers(unsafe ConnectionStatements(try $0.openHandle)) }
        }
    }

    private static func open(_ path: String) throws -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "keychain"
        configuration.maximumReaderCount = 8
        configuration.busyMode = .timeout(10)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA secure_delete = ON;")
        }
        try makePrivate(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        let migrator = ItemTables.migrator
        guard try !pool.read(migrator.hasBeenSuperseded) else { throw ItemDatabaseFailure.tooNew }
        try migrator.migrate(pool)
        return pool
    }

    /// The file is its owner's alone from the first byte; SQLite gives its log and index the same mode.
    private static func makePrivate(_ path: String) throws {
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // SQLite finds out why it cannot be opened, and says so.
        guard descriptor >= 0 else { return }
        Glibc.close(descriptor)
    }

    /// Reads outside any transaction: each statement sees a state of its own.
    package func read<T>(_ body: (ItemReader) throws -> T) throws -> T {
        try pool.unsafeRead { try unsafe body(ItemReader(db: $0, connection: ConnectionStatements(try $0.openHandle))) }
    }

    /// Rows that fit, in row order, from after `rowID`; at most `limit`. They are of one state of the database.
    package func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try translated {
            try searches.rows(
                RowSelection(filter, after: rowID, limit: limit, withSecret: withSecret), filter.itemClass)
        }
    }

    /// A number for a new row: higher than that of every row there is or was.
    /// - Parameter microseconds: the time, since 2001-01-01 00:00:00 UTC.
    package func newRowNumber(at microseconds: Int64) -> Int64 {
        numbers.next(at: microseconds)
    }

    /// After ``ItemDatabaseFailure/numberTaken``: looks which numbers other processes have given.
    package func catchUpWithNumbers() throws(ItemDatabaseFailure) {
        try translated { try read { try numbers.catchUp($0.connection) } }
    }

    /// Runs `body` in a transaction and returns once its changes are on disk. If it throws, none of them stays. It may
    /// run twice: the changes of its first run are then gone.
    @discardableResult
    package func write<T>(_ body: @escaping (ItemWriter) throws -> T) throws -> T {
        var value: T?
        try commits.run { value = try body($0) }
        guard let value else { throw ItemDatabaseFailure.other(code: -1, message: "a transaction gave no result") }
        return value
    }

    /// Writers that wait for the next transaction.
    package var testOnlyWaitingWriters: Int { commits.testOnlyWaitingWriters }

    /// SQLite's own check of the whole file: the first findings, empty if it is sound.
    package func integrityFindings() throws(ItemDatabaseFailure) -> [String] {
        try translated {
            try pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(8)") }.filter { $0 != "ok" }
        }
    }

    package func close() {
        searches.close()
        commits.close()
        // A checkpoint that cannot be made now is made at the next opening.
        try? pool.close()
    }
}
