import Foundation
import Glibc
import LatchkeyEncoding
package import LatchkeySecretMemory

@_implementationOnly import GRDB
@_implementationOnly import GRDBSQLite

/// `Manifest.db`: the rows of all files. It lies in memory, so that the clear text of an encrypted one never is on a disk.
package final class BackupIndex {
    /// A `DatabaseQueue`, whose class modules above this one do not know.
    private let hidden: AnyObject

    private var database: DatabaseQueue { unsafe unsafeDowncast(hidden, to: DatabaseQueue.self) }

    /// Makes an empty index.
    package init() throws(BackupFailure) {
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA page_size = 4096; PRAGMA temp_store = MEMORY")
            }
            let database = try DatabaseQueue(configuration: configuration)
            hidden = database
            try database.writeWithoutTransaction { database in
                try database.execute(
                    sql: """
                        PRAGMA user_version = 2;
                        CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB);
                        CREATE INDEX FilesDomainIdx ON Files(domain);
                        CREATE INDEX FilesRelativePathIdx ON Files(relativePath);
                        CREATE INDEX FilesFlagsIdx ON Files(flags);
                        CREATE TABLE Properties (key TEXT PRIMARY KEY, value BLOB);
                        """)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Judges an error of SQLite: bytes that are damaged, or something in the way of reading sound ones.
    private static func failure(_ error: any Error) -> BackupFailure {
        if let failure = error as? BackupFailure { return failure }
        guard let error = error as? DatabaseError else { return .damaged(BackupNames.index) }
        let code = error.extendedResultCode.rawValue
        switch StorageObstacle(databaseCode: code) {
        case .damage: return .damaged(BackupNames.index)
        case .system(let number): return .system(path: BackupNames.index, errno: number)
        case .busy: return .system(path: BackupNames.index, errno: EBUSY)
        case .database(SQLITE_TOOBIG): return .beyondLimits(BackupNames.index)
        case .database:
            return .unsupported(BackupNames.index, why: "SQLite answers: \(error.message ?? "error \(code)")")
        }
    }

    /// Opens the bytes of an index from anywhere.
    package init(_ bytes: [UInt8]) throws(BackupFailure) {
        guard bytes.starts(with: "SQLite format 3\0".utf8) else { throw .damaged(BackupNames.index) }
        do {
            let database = try DatabaseQueue()
            hidden = database
            try database.writeWithoutTransaction { database in
                // Intermediate results never go to a disk: they would be there in clear.
                try database.execute(sql: "PRAGMA temp_store = MEMORY")
                try Self.load(bytes, into: database)
                // A schema can hold expressions and views, which are not to run here.
                try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
                let table = try Row.fetchOne(
                    database, sql: "SELECT type FROM sqlite_master WHERE lower(name) = 'files'")
                guard let type = table?[0] as String?, type == "table" else { throw Damage() }
                try Self.refuseCode(in: database)
                // A value costs memory before its length can be looked at.
                unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Self.valueByteLimit)
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private struct Damage: Error {}

    /// Ten times what readers take of a row.
    private static let valueByteLimit: Int32 = 1 << 20

    /// The beginnings of the statements that SQLite stores for tables and indexes. SQLite parses a stored statement by its
    /// beginning, not by the kind that the row names.
    private static let declarations = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX "]

    /// Refuses a schema that computes: columns, views, triggers and virtual tables, whose work and values have no limit. No index
    /// of a phone has one.
    private static func refuseCode(in database: Database) throws {
        let texts = try String?.fetchCursor(database, sql: "SELECT sql FROM sqlite_master")
        while let text = try texts.next() {
            // Those of the indexes that SQLite makes by itself are absent.
            guard text.map({ text in declarations.contains { text.hasPrefix($0) } }) ?? true else { throw Damage() }
        }
        let columns = try Row.fetchCursor(database, sql: "PRAGMA table_xinfo(Files)")
        while let column = try columns.next() {
            guard column["hidden"] as Int? == 0 else { throw Damage() }
        }
    }

    private static func load(_ bytes: [UInt8], into database: Database) throws {
        let connection = unsafe database.sqliteConnection
        // The database frees it, also if it refuses it.
        guard let memory = unsafe sqlite3_malloc64(UInt64(bytes.count)) else {
            throw BackupFailure.system(path: BackupNames.index, errno: ENOMEM)
        }
        unsafe memory.copyMemory(from: bytes, byteCount: bytes.count)
        let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
        let outcome = unsafe sqlite3_deserialize(
            connection, "main", memory.assumingMemoryBound(to: UInt8.self), Int64(bytes.count), Int64(bytes.count),
            flags)
        guard outcome == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: outcome)) }
    }

    /// The whole file.
    package func encoded() throws(BackupFailure) -> [UInt8] {
        try judged {
            try database.read { database in
                var count: Int64 = 0
                guard
                    let memory = unsafe sqlite3_serialize(database.sqliteConnection, "main", &count, 0)
                else { throw BackupFailure.system(path: BackupNames.index, errno: ENOMEM) }
                defer { unsafe sqlite3_free(memory) }
                return unsafe Array(UnsafeBufferPointer(start: memory, count: Int(count)))
            }
        }
    }

    /// The file as a backup stores it.
    /// - Parameter key: nil for a backup that is not encrypted.
    package func stored(key: SecretBox?) throws(BackupFailure) -> [UInt8] {
        guard let key else { return try encoded() }
        return IndexCipher.sealed(try encoded(), key: key)
    }

    /// Changes many rows at once: all or none.
    package func change(_ body: (borrowing Changes) throws -> Void) throws {
        try database.write { database in try body(Changes(hidden: database)) }
    }

    package struct Changes: ~Copyable {
        fileprivate let hidden: AnyObject

        private var database: Database { unsafe unsafeDowncast(hidden, to: Database.self) }

        package func put(_ record: FileRecord) throws {
            // A row that is there keeps its place: some readers want a directory before its entries.
            try database.cachedStatement(
                sql: """
                    INSERT INTO Files (fileID, domain, relativePath, flags, file) VALUES (?, ?, ?, ?, ?)
                    ON CONFLICT (fileID) DO UPDATE SET flags = excluded.flags, file = excluded.file
                    """
            ).execute(arguments: [
                record.fileID.description, record.domain.name, record.path, record.kind.rawValue, Data(record.archive),
            ])
        }

        /// Puts a row as it is, for tests of hostile backups.
        package func testOnlyPut(domain: String, path: String, like record: FileRecord) throws {
            try database.cachedStatement(
                sql: "INSERT INTO Files (fileID, domain, relativePath, flags, file) VALUES (?, ?, ?, ?, ?)"
            ).execute(arguments: [
                FileID(domain: domain, path: path).description, domain, path, record.kind.rawValue,
                Data(record.archive),
            ])
        }

        package func remove(_ id: FileID) throws {
            try database.cachedStatement(sql: "DELETE FROM Files WHERE fileID = ?").execute(arguments: [id.description])
        }
    }

    package func count() throws(BackupFailure) -> Int {
        try judged { try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM Files") ?? 0 } }
    }

    package func fileIDs() throws(BackupFailure) -> Set<FileID> {
        try judged {
            try database.read { database in
                var numbers: Set<FileID> = []
                let texts = try String.fetchCursor(database, sql: "SELECT fileID FROM Files")
                while let text = try texts.next() {
                    if let number = FileID(text) { numbers.insert(number) }
                }
                return numbers
            }
        }
    }

    /// Calls `body` with every row, in the order of the file, so that one row is in memory at a time; a row that is damaged, or
    /// whose domain or path leads elsewhere, is told as such: a record that exists has neither.
    ///
    /// - Parameters:
    ///   - domain: of the rows; nil for all.
    ///   - body: returns false to end.
    package func visit(
        domain: BackupDomain? = nil, _ body: (Result<FileRecord, BackupFailure>) throws -> Bool
    ) throws {
        try database.read { database in
            let condition = domain == nil ? "" : "WHERE domain = ?"
            let rows: RowCursor
            do {
                rows = try Row.fetchCursor(
                    database,
                    sql: "SELECT fileID, domain, relativePath, flags, file FROM Files \(condition) "
                        + "ORDER BY rowid",
                    arguments: domain.map { [$0.name] } ?? [])
            } catch {
                throw Self.failure(error)
            }
            while true {
                let row: Row?
                do { row = try rows.next() } catch { throw Self.failure(error) }
                guard let row else { return }
                guard try body(Self.record(row)) else { return }
            }
        }
    }

    /// The row of one file. May be asked for while rows are visited.
    package func record(_ id: FileID) throws(BackupFailure) -> FileRecord? {
        let found = try judged {
            try database.unsafeReentrantRead { database in
                try Row.fetchOne(
                    database, sql: "SELECT fileID, domain, relativePath, flags, file FROM Files WHERE fileID = ?",
                    arguments: [id.description]
                ).map(Self.record)
            }
        }
        return try found?.get()
    }

    private func judged<Value>(_ body: () throws -> Value) throws(BackupFailure) -> Value {
        do {
            return try body()
        } catch {
            throw Self.failure(error)
        }
    }

    private static func record(_ row: Row) -> Result<FileRecord, BackupFailure> {
        func text(_ column: Int) -> String? { String.fromDatabaseValue(row[column] as DatabaseValue) }
        guard let name = text(1), let path = text(2), name.utf8.count <= BackupPath.byteLimit,
            path.utf8.count <= BackupPath.byteLimit
        else { return .failure(.badRecord(domain: text(1) ?? "", path: "", .path)) }
        guard let domain = BackupDomain(name), BackupPath.isWithinDomain(path) else {
            return .failure(.badRecord(domain: name, path: path, .path))
        }
        guard let flags = Int.fromDatabaseValue(row[3] as DatabaseValue) else {
            return .failure(.badRecord(domain: name, path: path, .kind))
        }
        guard let number = text(0), let id = FileID(number), id == FileID(domain: domain, path: path) else {
            return .failure(.badRecord(domain: name, path: path, .otherNumber))
        }
        let archive: [UInt8]
        do {
            archive = try row.withUnsafeData(atIndex: 4) { data in data.map { [UInt8]($0) } ?? [] }
        } catch {
            return .failure(.badRecord(domain: name, path: path, .archive))
        }
        do throws(BackupFailure) {
            return .success(try FileRecord(domain: domain, path: path, flags: flags, archive: archive))
        } catch {
            return .failure(error)
        }
    }
}
