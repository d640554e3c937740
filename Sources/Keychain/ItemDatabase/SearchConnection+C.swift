import LatchkeyItemModel

@_implementationOnly import GRDBSQLite

/// A connection that only searches, for one thread at a time.
@safe final class SearchConnection: @unchecked Sendable {
    // Sendable because ``SearchConnections`` lends it to one thread at a time.
    private let database: OpaquePointer
    private var statements: ConnectionStatements?

    private static let waitMilliseconds: Int32 = 10_000

    /// The file must be open elsewhere for writing, so that its log is recovered.
    init(path: String) throws(ItemDatabaseFailure) {
        var opened: OpaquePointer?
        let outcome = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard outcome == SQLITE_OK, let database = unsafe opened else {
            defer { unsafe sqlite3_close_v2(opened) }
            throw unsafe ItemDatabaseFailure(resultCode: outcome, of: opened)
        }
        unsafe self.database = unsafe database
        unsafe sqlite3_busy_timeout(database, Self.waitMilliseconds)
        unsafe sqlite3_exec(database, "PRAGMA cache_size = -4096", nil, nil, nil)
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
