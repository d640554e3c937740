@_implementationOnly import GRDB

/// Pages of former formats outside of the rows: in the log, and in the file where the log replaces them.
///
/// A migration overwrites all pages that it frees, but in the log: until that is copied into the file and cut off, the
/// former pages can be read. The number 9 in the head of the file (`user_version`) says that this was done. The migration
/// sets it back, so a process that is killed in between leaves the work to the next opening.
enum FormerPages {
    /// The first format without tokens by which a secret can be guessed.
    static let cleanVersion = 9

    /// Copies the log into the file and cuts it off, if that was not done since the last migration. A reader can be in
    /// the way: then the next opening does it.
    static func overwrite(_ pool: DatabasePool) {
        guard let version = try? pool.read({ try version(of: $0) }), version < cleanVersion else { return }
        try? pool.writeWithoutTransaction { db in
            let patience = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
            try db.execute(sql: "PRAGMA busy_timeout = \(Self.patience)")
            defer { try? db.execute(sql: "PRAGMA busy_timeout = \(patience)") }
            _ = try db.checkpoint(.truncate)
            try setClean(db)
        }
    }

    /// The milliseconds to wait for readers of other processes: the next opening does it as well.
    private static let patience = 200

    /// Has the log be cut off anew, in the transaction that removes what must not stay in it.
    static func setUnclean(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        try connection.run("PRAGMA user_version = 0")
    }

    static func version(of db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
    }

    static func setClean(_ db: Database) throws {
        try db.execute(sql: "PRAGMA user_version = \(cleanVersion)")
    }
}
