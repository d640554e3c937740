import Foundation

@_implementationOnly import GRDB

/// A database that was set aside as `keychain.db.damaged-N`. It is damaged, or was only taken for that: it may be the
/// keychain of the device, to be taken back. Only the tokens of digests and comments that formats before 9 had are taken
/// out of it, in place: every row stays, and an older version can still read it.
package struct SetAsideDatabase: Sendable {
    package enum State: Sendable, Hashable {
        /// It opens, and no such token is in it.
        case clean
        /// It opens, and a part of it is damaged. Rows that can be read have no such token; what cannot be read, and pages
        /// that are not in use, may have some.
        case partlyClean
        /// SQLite does not read it.
        case unreadable
        /// It could not be looked at now. Nothing is known about it.
        case unknown(String)
    }

    /// The version in the head of a file whose rows have lost their tokens, and whose free pages may have some.
    private static let partlyCleanVersion = 8
    private static let tokens: Set<String> = ["t_sha1", "t_icmt"]
    private static let mark = ".damaged-"

    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// Returns the databases that were set aside from a path, the oldest first.
    package static func all(from path: String) -> [SetAsideDatabase] {
        let url = URL(fileURLWithPath: path)
        let directory = url.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { name in
            name.hasPrefix(url.lastPathComponent + mark) && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
        }
        .sorted().map { SetAsideDatabase(path: directory + "/" + $0) }
    }

    /// Takes the tokens out. May be called any number of times.
    package func removeTokens() -> State {
        do {
            var configuration = Configuration()
            configuration.busyMode = .timeout(1)
            configuration.prepareDatabase { db in
                try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.writeWithoutTransaction(Self.removeTokens)
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: return .unreadable
            default: return .unknown(error.message ?? "\(error.resultCode)")
            }
        } catch {
            return .unknown("\(error)")
        }
    }

    private static func removeTokens(_ db: Database) throws -> State {
        let version = try FormerPages.version(of: db)
        let columns = try tokenColumns(db)
        // An earlier version that has taken the file back meanwhile has written tokens again, and does not know the
        // mark.
        if version >= partlyCleanVersion, !((try? hasTokens(db, columns)) ?? false) {
            return version >= FormerPages.cleanVersion ? .clean : .partlyClean
        }
        let statements = overwriting(columns)
        guard try String.fetchAll(db, sql: "PRAGMA integrity_check(1)") == ["ok"] else {
            // Each table for itself, as far as it can be read. The list of free pages is not to be trusted.
            for statement in statements { try? db.inTransaction { try commit([statement], in: db) } }
            try db.execute(sql: "PRAGMA user_version = \(partlyCleanVersion)")
            _ = try db.checkpoint(.truncate)
            return .partlyClean
        }
        try db.inTransaction { try commit(statements + [Migration.overwritingFreePages], in: db) }
        // SQLite leaves copies of rows in the gaps of pages that are in use, where no statement reaches them.
        try db.execute(sql: "PRAGMA temp_store = MEMORY; VACUUM")
        _ = try db.checkpoint(.truncate)
        try FormerPages.setClean(db)
        return .clean
    }

    private static func hasTokens(_ db: Database, _ columns: [TokenColumn]) throws -> Bool {
        try columns.contains { table, column in
            let isToken = "\(column) IS NOT NULL AND \(column) <> zeroblob(length(\(column)))"
            return try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(isToken))") ?? false
        }
    }

    private static func commit(_ statements: [String], in db: Database) throws -> Database.TransactionCompletion {
        for statement in statements { try db.execute(sql: statement) }
        return .commit
    }

    /// The statements that overwrite the tokens where they are: SQLite writes a row of the same length into the same
    /// place, so no page is rearranged.
    private static func overwriting(_ columns: [TokenColumn]) -> [String] {
        columns.map { table, column in
            "UPDATE \(table) SET \(column) = zeroblob(length(\(column))) WHERE \(column) IS NOT NULL"
        }
    }

    /// A column with tokens, and the quoted name of its table.
    private typealias TokenColumn = (table: String, column: String)

    private static func tokenColumns(_ db: Database) throws -> [TokenColumn] {
        try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").flatMap {
            table in
            try db.columns(in: table).map(\.name).filter { tokens.contains($0) }
                .map { (table.quotedDatabaseIdentifier, $0) }
        }
    }
}
