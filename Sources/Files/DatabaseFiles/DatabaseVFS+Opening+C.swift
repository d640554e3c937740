import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
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
            return flags & SQLITE_OPEN_WAL != 0
                ? try log(path, of: database, isReadOnly: file.isReadOnly, &flags)
                : try journal(path, of: database, &flags)
        }
        if flags & SQLITE_OPEN_SUPER_JOURNAL != 0 { return try superJournal(ownPath, path, &flags) }
        throw DatabaseRefusal(.foreign, "latchkey: \(path): the file is neither a database nor a journal of one.")
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
        var opening = opening(path, in: vault, protection ?? .ofNewFile(at: path), flags)
        opening.tie = { FileTie(.database, of: $0) }
        let opened = try opening.run()
        note(opened, &flags)
        opened.file.followDevice()
        // One that another connection has open may have been closed by a lock.
        _ = try opened.file.size()
        let connection = DatabaseFile.nextConnection()
        let database = try SharedDatabase.join(connection, opened.file, in: vault, path: path)
        if opened.isWritable {
            database.noteWriting()
            do throws(AccessFailure) {
                try mark(database, path)
            } catch {
                database.leave(connection)
                throw error
            }
        }
        return DatabaseFile(
            .protected(opened.file), .database(database, connection), path: path, isNew: opened.isNew,
            isReadOnly: !opened.isWritable)
    }

    static func opening(
        _ path: String, in vault: FileVault, _ protection: FileProtection, _ flags: Int32
    ) -> FileOpening {
        FileOpening(
            path: path, vault: vault, protection: protection, isWritable: flags & SQLITE_OPEN_READWRITE != 0,
            makes: flags & SQLITE_OPEN_CREATE != 0, isExclusive: flags & SQLITE_OPEN_EXCLUSIVE != 0)
    }

    static func note(_ opened: FileOpening.Outcome, _ flags: inout Int32) {
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
    static func vault(for path: String) throws(AccessFailure) -> FileVault {
        if let open = SharedDatabase.open(at: path) { return open.vault }
        return try currentVault()
    }

    static func refusing<Value>(
        _ path: String, _ body: () throws(AccessFailure) -> Value
    ) throws(DatabaseRefusal) -> Value {
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
