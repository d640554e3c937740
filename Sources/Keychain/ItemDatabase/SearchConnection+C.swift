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

    /// Returns the rows of a selection. All of them are read before this returns.
    func rows(_ selection: RowSelection) throws(ItemDatabaseFailure) -> [ItemRow] {
        try statements?.rows(selection) ?? []
    }

    /// Returns the numbers of the rows of a selection.
    func numbers(_ selection: RowSelection) throws(ItemDatabaseFailure) -> [Int64] {
        try statements?.numbers(selection) ?? []
    }
}
