import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag

@_implementationOnly import GRDBSQLite

/// `xOpen`: which file SQLite asks for, and which class it has.
extension DatabaseVFS {
    /// - Parameter flags: those of `xOpen`. Afterwards they say whether SQLite may write the file.
    static func open(_ name: UnsafePointer<CChar>?, _ flags: inout Int32) throws(DatabaseRefusal) -> DatabaseFile {
        guard let name = unsafe name, flags & SQLITE_OPEN_DELETEONCLOSE == 0 else { return try temporary() }
        let ownPath = unsafe DatabasePath(name)
        guard let path = ownPath.text else {
            throw DatabaseRefusal(.failed, "latchkey: the path of the file is not UTF-8. Give it another name.")
        }
        defer { AbsentJournals.forget(ownPath) }
        if flags & SQLITE_OPEN_MAIN_DB != 0 {
            try unsafe requireLocks(name, path)
            let protection = try unsafe namedProtection(name, path)
            return try refusing(path) { () throws(AccessFailure) in
                try database(path, protection, try vault(for: path), &flags)
            }
        }
        if flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0,
            let file = unsafe DatabaseMethods.file(sqlite3_database_file_object(name)),
            case .database(let database, _) = file.role
        {
            return try refusing(path) { () throws(AccessFailure) in
                try flags & SQLITE_OPEN_WAL != 0
                    ? log(path, of: database, isReadOnly: file.isReadOnly, &flags) : journal(path, of: database, &flags)
            }
        }
        return try refusing(path) { () throws(AccessFailure) in try superJournal(path, &flags) }
    }

    private static func temporary() throws(DatabaseRefusal) -> DatabaseFile {
        do throws(AccessFailure) {
            return DatabaseFile(.temporary(try TemporaryFile()), .other, path: nil, isNew: false)
        } catch {
            throw DatabaseRefusal(error, path: nil)
        }
    }

    private static func database(
        _ path: String, _ protection: FileProtection?, _ vault: FileVault, _ flags: inout Int32
    ) throws(AccessFailure) -> DatabaseFile {
        let opened = try opening(path, in: vault, protection ?? .ofNewFile(at: path), flags).run()
        note(opened, &flags)
        opened.file.followDevice()
        // One that another connection has open may have been closed by a lock.
        _ = try opened.file.size()
        let database = SharedDatabase.of(opened.file, in: vault, path: path)
        if opened.isWritable { database.noteWriting() }
        let role = DatabaseFile.Role.database(database, DatabaseFile.nextConnection())
        return DatabaseFile(
            .protected(opened.file), role, path: path, isNew: opened.isNew, isReadOnly: !opened.isWritable)
    }

    private static func journal(
        _ path: String, of database: SharedDatabase, _ flags: inout Int32
    ) throws(AccessFailure) -> DatabaseFile {
        let opened = try companion(path, of: database, flags).run()
        note(opened, &flags)
        try prepare(opened, path, of: database)
        database.use(journal: opened.file)
        return DatabaseFile(.protected(opened.file), .journal(database), path: path, isNew: opened.isNew)
    }

    private static func log(
        _ path: String, of database: SharedDatabase, isReadOnly: Bool, _ flags: inout Int32
    ) throws(AccessFailure) -> DatabaseFile {
        var opening = try companion(path, of: database, flags)
        if isReadOnly {
            opening.isWritable = false
            opening.makes = false
        }
        do throws(AccessFailure) {
            let opened = try opening.run()
            note(opened, &flags)
            try prepare(opened, path, of: database)
            // SQLite begins it anew after each checkpoint, and has checksums of its own.
            opened.file.becomeLog()
            // A log that power takes away must be an empty one, not a damaged one.
            if opened.isNew { try opened.file.synchronize() }
            database.use(log: opened.file, path: path)
            return DatabaseFile(.protected(opened.file), .log, path: path, isNew: opened.isNew)
        } catch {
            guard isReadOnly, case .system("open", ENOENT) = error else { throw error }
            flags = flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY
            return DatabaseFile(.absentLog(database), .log, path: path, isNew: false)
        }
    }

    /// The length of "-mj" and nine digits, which SQLite appends.
    private static let superJournalSuffixCount = 12

    /// The list of the journals of a transaction over several databases. It has their paths, under the class of the
    /// database whose name it begins with.
    private static func superJournal(_ path: String, _ flags: inout Int32) throws(AccessFailure) -> DatabaseFile {
        let vault = try vault(for: path)
        var protection = FileProtection.ofNewFile(at: path)
        if let own = SharedDatabase.open(at: String(path.dropLast(superJournalSuffixCount))) {
            protection = own.file.protection
        }
        var opening = opening(path, in: vault, protection, flags)
        opening.isJournal = true
        opening.expectation = .ownFile(ofUser: geteuid())
        let opened = try opening.run()
        note(opened, &flags)
        opened.file.followDevice()
        return DatabaseFile(.protected(opened.file), .other, path: path, isNew: opened.isNew)
    }

    private static func companion(
        _ path: String, of database: SharedDatabase, _ flags: Int32
    ) throws(AccessFailure) -> FileOpening {
        var opening = opening(path, in: database.vault, database.file.protection, flags)
        opening.permissions = 0o600
        opening.isJournal = true
        opening.expectation = .ownFile(ofUser: try database.file.status().st_uid)
        return opening
    }

    private static func prepare(
        _ opened: FileOpening.Outcome, _ path: String, of database: SharedDatabase
    ) throws(AccessFailure) {
        if opened.isNew { try opened.file.takeOverPermissions(of: database.file.status()) }
        let protection = database.file.protection
        // The class of the database may have been changed after the journal was made.
        if opened.isWritable, opened.file.protection != protection { try opened.file.setProtection(protection) }
        opened.file.followDevice()
    }

    private static func opening(
        _ path: String, in vault: FileVault, _ protection: FileProtection, _ flags: Int32
    ) -> FileOpening {
        FileOpening(
            path: path, vault: vault, protection: protection, isWritable: flags & SQLITE_OPEN_READWRITE != 0,
            makes: flags & SQLITE_OPEN_CREATE != 0, isExclusive: flags & SQLITE_OPEN_EXCLUSIVE != 0)
    }

    private static func note(_ opened: FileOpening.Outcome, _ flags: inout Int32) {
        guard !opened.isWritable else { return }
        flags = flags & ~(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE) | SQLITE_OPEN_READONLY
    }

    /// Refuses the parameters of a URI that let SQLite do without locks: with them it neither asks for the key at the
    /// beginning of a transaction nor looks for journals.
    private static func requireLocks(_ name: UnsafePointer<CChar>, _ path: String) throws(DatabaseRefusal) {
        for parameter in ["nolock", "immutable"] where unsafe sqlite3_uri_boolean(name, parameter, 0) != 0 {
            throw DatabaseRefusal(
                .wrongParameter,
                "latchkey: \(path): the URI sets `\(parameter)`, but a protected database needs its locks. Leave it out."
            )
        }
    }

    /// The class that the URI of a database names; nil if it names none.
    private static func namedProtection(
        _ name: UnsafePointer<CChar>, _ path: String
    ) throws(DatabaseRefusal) -> FileProtection? {
        guard let parameter = unsafe sqlite3_uri_parameter(name, "protection") else { return nil }
        let text = unsafe String(cString: parameter)
        if let protection = FileProtection(databaseParameter: text) { return protection }
        let known = "complete, completeUnlessOpen, completeUntilFirstUserAuthentication and none"
        throw DatabaseRefusal(
            .wrongParameter,
            "latchkey: \(path): the URI names an unknown class in `protection`. The classes are \(known).")
    }

    /// The device of the file: the one that has it open here, or that of the calling program.
    private static func vault(for path: String) throws(AccessFailure) -> FileVault {
        if let open = SharedDatabase.open(at: path) { return open.vault }
        return try currentVault()
    }

    private static func refusing(
        _ path: String, _ body: () throws(AccessFailure) -> DatabaseFile
    ) throws(DatabaseRefusal) -> DatabaseFile {
        do throws(AccessFailure) {
            return try body()
        } catch {
            throw DatabaseRefusal(error, path: path)
        }
    }
}

extension FileProtection {
    /// The class of a file for which a program names none.
    static func ofNewFile(at path: String) -> FileProtection {
        DirectoryProtection.inherited(byItemAt: path) ?? .completeUntilFirstUserAuthentication
    }
}
