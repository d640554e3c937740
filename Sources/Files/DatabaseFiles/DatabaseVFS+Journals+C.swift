import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag

@_implementationOnly import GRDBSQLite

/// `xOpen` for the journals and the write-ahead log of an open database.
extension DatabaseVFS {
    static func journal(
        _ path: String, of database: SharedDatabase, _ flags: inout Int32
    ) throws(DatabaseRefusal) -> DatabaseFile {
        let opened = try refusing(path) { () throws(AccessFailure) in
            try companion(path, .journal, of: database, flags).run()
        }
        try requireTie(opened, .journal, path, of: database)
        return try refusing(path) { () throws(AccessFailure) in
            note(opened, &flags)
            try prepare(opened, of: database)
            database.use(journal: opened.file)
            return DatabaseFile(.protected(opened.file), .journal(database), path: path, isNew: opened.isNew)
        }
    }

    static func log(
        _ path: String, of database: SharedDatabase, isReadOnly: Bool, _ flags: inout Int32
    ) throws(DatabaseRefusal) -> DatabaseFile {
        let found = try refusing(path) { () throws(AccessFailure) -> FileOpening.Outcome? in
            var opening = try companion(path, .log, of: database, flags)
            if isReadOnly {
                opening.isWritable = false
                opening.makes = false
            }
            do throws(AccessFailure) {
                return try opening.run()
            } catch .system("open", ENOENT) where isReadOnly {
                return nil
            }
        }
        guard let opened = found else {
            flags = flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY
            return DatabaseFile(.absentLog(database), .log, path: path, isNew: false)
        }
        try requireTie(opened, .log, path, of: database)
        return try refusing(path) { () throws(AccessFailure) in
            note(opened, &flags)
            try prepare(opened, of: database)
            // SQLite begins it anew after each checkpoint, and has checksums of its own.
            opened.file.becomeLog()
            // A log that power takes away must be an empty one, not a damaged one.
            if opened.isNew { try opened.file.synchronize() }
            database.use(log: opened.file, path: path)
            return DatabaseFile(.protected(opened.file), .log, path: path, isNew: opened.isNew)
        }
    }

    /// Gives a database from before ties its tie, and the journals that it has.
    static func mark(_ database: SharedDatabase, _ path: String) throws(AccessFailure) {
        try database.ties.mark(database.file) { suffix throws(AccessFailure) in
            let expectation = FileExpectation.ownFile(ofUser: try database.file.status().st_uid)
            switch try database.vault.openAny(path + suffix, forWriting: true, expecting: expectation) {
            case .protected(let file): return file
            case .clear: return nil
            }
        }
    }

    private static func companion(
        _ path: String, _ role: FileTie.Role, of database: SharedDatabase, _ flags: Int32
    ) throws(AccessFailure) -> FileOpening {
        var opening = opening(path, in: database.vault, database.file.protection, flags)
        opening.permissions = 0o600
        opening.isJournal = true
        opening.expectation = .ownFile(ofUser: try database.file.status().st_uid)
        opening.tie = { _ in database.ties.tie(role) }
        return opening
    }

    /// Refuses a file that is not the database's. It stays as it is.
    private static func requireTie(
        _ opened: FileOpening.Outcome, _ role: FileTie.Role, _ path: String, of database: SharedDatabase
    ) throws(DatabaseRefusal) {
        guard !opened.isNew else { return }
        let isOwn = try refusing(path) { () throws(AccessFailure) in
            try database.ties.take(opened.file, as: role, isWritable: opened.isWritable)
        }
        guard isOwn else { throw DatabaseRefusal(notTied: path) }
    }

    private static func prepare(
        _ opened: FileOpening.Outcome, of database: SharedDatabase
    ) throws(AccessFailure) {
        if opened.isNew { try opened.file.takeOverPermissions(of: database.file.status()) }
        let protection = database.file.protection
        // The class of the database may have been changed after the journal was made.
        if opened.isWritable, opened.file.protection != protection { try opened.file.setProtection(protection) }
        opened.file.followDevice()
    }
}
