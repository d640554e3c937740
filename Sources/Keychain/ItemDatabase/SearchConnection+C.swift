import LatchkeyItemModel

@_implementationOnly import GRDBSQLite

/// A connection that only searches, for one thread at a time.
@safe final class SearchConnection: @unchecked Sendable {
    // Sendable because ``SearchConnections`` lends it to one thread at a time.
    private let database: OpaquePointer
    let cache: Cache
    private var statements: ConnectionStatements?

    /// The limit of the pages that a connection keeps, in KiB.
    enum Cache: Int {
        /// The pages that lead to a million rows: all pages of tables and indexes but those at the ends of searches.
        case large = 12_288
        case small = 3072
    }

    private static let waitMilliseconds: Int32 = 10_000

    /// The file must be open elsewhere for writing, so that its log is recovered.
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

    /// The rows of a selection, all read before this returns.
    func rows(_ selection: RowSelection, _ itemClass: ItemClass) throws(ItemDatabaseFailure) -> [ItemRow] {
        try statements?.rows(selection.sql, selection.values, of: itemClass) ?? []
    }
}
