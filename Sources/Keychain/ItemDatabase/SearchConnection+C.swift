import LatchkeyItemModel

@_implementationOnly import GRDBSQLite

/// A connection that only searches. Only one thread at a time may use it.
@safe final class SearchConnection: @unchecked Sendable {
    // Sendable because ``SearchConnections`` gives it to one thread at a time.
    private let database: OpaquePointer
    let cache: Cache
    private var statements: ConnectionStatements?

    /// The size of a connection's page cache, in KiB.
    enum Cache: Int {
        /// Enough for the inner pages of tables and indexes with a million rows; the pages at the ends of searches are
        /// not included.
        case large = 12_288
        case small = 3072
    }

    private static let waitMilliseconds: Int32 = 10_000

    /// Opens the file for reading. Another connection must have it open for writing, so that the log is recovered.
    init(path: String, cache: Cache) throws(ItemDatabaseFailure) {
        self.cache = cache
        var opened: OpaquePointer?
        let outcome = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard outcome == SQLITE_OK, let database = unsafe opened else {
            defer { unsafe sqlite3_close_v2(opened) }
            throw unsafe ItemDatabaseFailure(resultCode: outcome, of: opened)
        }
        unsafe self.database = unsafe database
        unsafe sqlite3_busy_timeout(database, Self.waitMilliseconds)
        unsafe sqlite3_exec(database, "PRAGMA cache_size = -\(cache.rawValue)", nil, nil, nil)
        statements = unsafe ConnectionStatements(database)
    }

    deinit {
        statements = nil
        unsafe sqlite3_close_v2(database)
    }

    /// Runs a statement that returns nothing.
    func run(_ sql: String) throws(ItemDatabaseFailure) {
        try statements?.run(sql)
    }

    /// Returns the matching rows after `rowID` in row order, at most `limit`. All of them are read before this returns.
    func rows(
        matching filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        let content = withSecret ? RowSelection.Content.attributesAndSecret : .attributes
        return try statements?.rows(RowSelection(filter, after: rowID, limit: limit, content)) ?? []
    }

    /// Returns the numbers of all matching rows after `rowID`, in their order.
    func rowNumbers(matching filter: RowFilter, after rowID: Int64) throws(ItemDatabaseFailure) -> [Int64] {
        try statements?.numbers(RowSelection(filter, after: rowID, limit: .max, .numbers)) ?? []
    }
}
