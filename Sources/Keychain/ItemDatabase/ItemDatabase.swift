import Foundation
import Glibc

@_implementationOnly import GRDB

/// The items of a device in SQLite: write-ahead log, `synchronous=FULL`, commits shared by concurrent writers.
///
/// It has rows, columns and tokens, but no keys: its callers seal the values before they store them.
///
/// A child of `fork` opens the file by a database of its own, and must not use or release its parent's.
package final class ItemDatabase: Sendable {
    private let hidden: SharedHiddenObject
    private var pool: DatabasePool { hidden.object(as: DatabasePool.self) }
    private let commits: GroupCommit
    private let searches: SearchConnections
    private let readers = ReaderStatements()
    private let numbers: RowNumbers
    private let note: OpenDatabase
    private let path: String

    /// Opens the file or creates it; its directory must exist.
    /// - Parameters:
    ///   - lockWait: the seconds to wait for a lock that another process holds.
    ///   - clock: the time in microseconds since 2001-01-01 00:00:00 UTC.
    package init(
        path: String, lockWait: Double = 10, clock: @escaping @Sendable () -> Int64
    ) throws(ItemDatabaseFailure) {
        try OpenDatabase.begin(path)
        let (pool, numbers) = try DatabaseOpening.explaining(path) { () throws(ItemDatabaseFailure) in
            let pool = try Self.open(path, lockWait)
            let numbers = try translated {
                try pool.unsafeRead { try RowNumbers(unsafe ConnectionStatements(try $0.openHandle)) }
            }
            return (pool, numbers)
        }
        note = OpenDatabase(path)
        self.path = path
        self.numbers = numbers
        hidden = SharedHiddenObject(pool)
        commits = GroupCommit(writer: pool, clock: clock)
        searches = SearchConnections(path: path)
    }

    private static func open(_ path: String, _ lockWait: Double) throws(ItemDatabaseFailure) -> DatabasePool {
        var configuration = Configuration()
        configuration.label = "keychain"
        configuration.maximumReaderCount = 8
        configuration.busyMode = .timeout(lockWait)
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA cache_size = -4096; PRAGMA secure_delete = ON;")
        }
        try DatabaseOpening.makePrivate(path)
        let migrator = ItemTables.migrator
        let (pool, isNewer) = try translated {
            let pool = try DatabasePool(path: path, configuration: configuration)
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            return (pool, try pool.read(migrator.hasBeenSuperseded))
        }
        guard !isNewer else { throw .tooNew }
        try translated { try migrate(pool, with: migrator) }
        FormerPages.overwrite(pool)
        // Pages of a transaction are in the log only when it ends: frames that wait (`CItemLog`) must not be those of an undone transaction, and
        // SQLite 3.40 has lost transactions after a kill where savepoints were undone behind such pages.
        try translated { try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA cache_spill = OFF") } }
        return pool
    }

    private static func migrate(_ pool: DatabasePool, with migrator: DatabaseMigrator) throws {
        guard try !pool.read(migrator.hasCompletedMigrations) else { return }
        try NewTables.make(in: pool)
        var isComplete = try pool.read(migrator.hasCompletedMigrations)
        while !isComplete {
            let before = try pool.read(migrator.appliedMigrations)
            do {
                try migrator.migrate(pool)
            } catch {
                // Another process may have taken the same step while this one waited for it, and be at a later one now.
                guard try pool.read(migrator.appliedMigrations) != before else { throw error }
            }
            isComplete = try pool.read(migrator.hasCompletedMigrations)
        }
    }

    /// Copies the log into the file and cuts it off, if it may have digests or tokens of former formats.
    package func overwriteFormerPages() {
        FormerPages.overwrite(pool)
    }

    /// Reads outside of a transaction: each statement may see a different state.
    package func read<T>(_ body: (ItemReader) throws -> T) throws -> T {
        try pool.unsafeRead { try body(ItemReader(db: $0, connection: readers.statements(of: $0))) }
    }

    /// Reads in a transaction: all statements see one state. For many statements it is faster, because each would lock the log for itself.
    package func readTogether<T>(_ body: (ItemReader) throws -> T) throws -> T {
        try pool.read { try body(ItemReader(db: $0, connection: readers.statements(of: $0))) }
    }

    /// Returns the matching rows after `rowID` in row order, at most `limit`, all from one state of the database.
    package func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try searches.with { connection throws(ItemDatabaseFailure) in
            try connection.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret)
        }
    }

    /// Returns the numbers of all matching rows after `rowID`, in their order, all from one state of the database.
    package func rowNumbers(matching filter: RowFilter, after rowID: Int64) throws(ItemDatabaseFailure) -> [Int64] {
        try searches.with { connection throws(ItemDatabaseFailure) in
            try connection.rowNumbers(matching: filter, after: rowID)
        }
    }

    /// Returns a reader of one state of the database, for a search of several pages.
    package func steadyRows() throws(ItemDatabaseFailure) -> SteadyRows {
        try SteadyRows(searches)
    }

    /// Returns a number for a new row, higher than the number of every present or former row.
    /// - Parameter microseconds: the time, since 2001-01-01 00:00:00 UTC.
    package func newRowNumber(at microseconds: Int64) -> Int64 {
        numbers.next(at: microseconds)
    }

    /// Reads which numbers other processes have used. To be called after ``ItemDatabaseFailure/numberTaken``.
    package func catchUpWithNumbers() throws(ItemDatabaseFailure) {
        try translated { try read { try numbers.catchUp($0.connection) } }
    }

    /// Runs `body` in a transaction and returns after its changes are on disk. If it throws, its changes are undone. It
    /// may run twice; the changes of the first run are then undone.
    @discardableResult
    package func write<T>(_ body: @escaping (ItemWriter) throws -> T) throws -> T {
        var value: T?
        try commits.run { value = try body($0) }
        guard let value else { throw ItemDatabaseFailure.other(code: -1, message: "a transaction gave no result") }
        return value
    }

    /// Calls `handler` after each commit with changes by programs that other devices are to get. It must not wait, and may be called for
    /// changes that were undone.
    package func whenSharedChange(_ handler: @escaping @Sendable () -> Void) {
        commits.whenSharedChange(handler)
    }

    /// Calls `handler` after each commit that changed items as programs see them, with their access groups. It must not wait. A
    /// group may also be named for a change that was undone.
    package func whenItemsChange(_ handler: @escaping @Sendable (ChangedGroups) -> Void) {
        commits.whenItemsChange(handler)
    }

    /// The number of writers that wait for the next transaction.
    package var testOnlyWaitingWriters: Int { commits.testOnlyWaitingWriters }

    /// The value of a pragma of the connection that writes.
    package func testOnlyWriterSetting(_ name: String) throws -> Int64? {
        try pool.writeWithoutTransaction { try Int64.fetchOne($0, sql: "PRAGMA \(name)") }
    }

    /// Runs SQLite's check of the whole file and returns its first findings; empty if the file is intact.
    package func integrityFindings() throws(ItemDatabaseFailure) -> [String] {
        try DatabaseOpening.explaining(path) { () throws(ItemDatabaseFailure) in
            try translated {
                try pool.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(8)") }.filter { $0 != "ok" }
            }
        }
    }

    package func close() {
        searches.close()
        readers.close()
        commits.close()
        // If a checkpoint fails here, SQLite makes it at the next opening.
        try? pool.close()
        note.forget()
    }
}
