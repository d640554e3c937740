import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import LatchkeySecretMemory

@_implementationOnly import GRDBSQLite

/// Super-journals: the lists of the journals of a transaction over several databases.
///
/// The last journal that SQLite plays back names one, and SQLite deletes the file of that name. So a super-journal is what
/// SQLite makes: a file beside a database that is open here, named after it and tied to it. SQLite is given nothing else to
/// read, and deletes nothing else.
extension DatabaseVFS {
    /// The super-journals that transactions of this process have made, until they are deleted. A child of `fork` has made none.
    private static let made = ProcessMutex<Set<DatabasePath>>([])

    static func superJournal(
        _ ownPath: DatabasePath, _ path: String, _ flags: inout Int32
    ) throws(DatabaseRefusal) -> DatabaseFile {
        let makes = flags & SQLITE_OPEN_CREATE != 0
        if ownPath.databaseOfJournal != nil, !makes { return try listedJournal(path, &flags) }
        guard let databasePath = ownPath.databaseOfSuperJournal else { throw DatabaseRefusal(noSuperJournal: path) }
        let database = databasePath.text.flatMap { SharedDatabase.open(at: $0) }
        guard makes else { return try known(ownPath, path, of: database, &flags) }
        guard let database else { throw DatabaseRefusal(noSuperJournal: path) }
        return try refusing(path) { () throws(AccessFailure) in
            let opened = try opening(path, of: database, flags).run()
            made.withLock { _ = $0.insert(ownPath) }
            note(opened, &flags)
            opened.file.followDevice()
            return DatabaseFile(.protected(opened.file), .other, path: path, isNew: opened.isNew)
        }
    }

    /// A super-journal that SQLite reads before it deletes it. One that is to stay is read as an empty one.
    private static func known(
        _ ownPath: DatabasePath, _ path: String, of database: SharedDatabase?, _ flags: inout Int32
    ) throws(DatabaseRefusal) -> DatabaseFile {
        guard let database, let file = try tied(path, to: database) else {
            flags = flags & ~SQLITE_OPEN_READWRITE | SQLITE_OPEN_READONLY
            do throws(AccessFailure) {
                return DatabaseFile(.temporary(try TemporaryFile()), .other, path: nil, isNew: false, isReadOnly: true)
            } catch {
                throw DatabaseRefusal(error, path: path)
            }
        }
        file.followDevice()
        return DatabaseFile(.protected(file), .other, path: path, isNew: false, isReadOnly: true)
    }

    /// The journal of one of the databases, in which SQLite looks for the name of the super-journal. It may be of a database
    /// that is not open here.
    private static func listedJournal(_ path: String, _ flags: inout Int32) throws(DatabaseRefusal) -> DatabaseFile {
        try refusing(path) { () throws(AccessFailure) in
            var opening = opening(path, in: try vault(for: path), .ofNewFile(at: path), flags)
            opening.isWritable = false
            opening.makes = false
            opening.isJournal = true
            opening.expectation = .ownFile(ofUser: geteuid())
            let opened = try opening.run()
            note(opened, &flags)
            opened.file.followDevice()
            return DatabaseFile(.protected(opened.file), .other, path: path, isNew: false, isReadOnly: true)
        }
    }

    private static func opening(
        _ path: String, of database: SharedDatabase, _ flags: Int32
    ) throws(AccessFailure) -> FileOpening {
        var opening = opening(path, in: database.vault, database.file.protection, flags)
        opening.isJournal = true
        opening.expectation = .ownFile(ofUser: geteuid())
        opening.tie = { _ in database.ties.tie(.superJournal) }
        return opening
    }

    /// Returns the file if it is a super-journal of the database.
    private static func tied(_ path: String, to database: SharedDatabase) throws(DatabaseRefusal) -> OpenFile? {
        try refusing(path) { () throws(AccessFailure) in
            var opening = try opening(path, of: database, SQLITE_OPEN_READONLY)
            opening.isWritable = false
            do throws(AccessFailure) {
                let file = try opening.run().file
                return try file.tie() == database.ties.tie(.superJournal) ? file : nil
            } catch .notProtected {
                return nil
            }
        }
    }

    // MARK: Removal

    /// The verdict on a file that SQLite wants to delete.
    enum Removal {
        case allowed
        /// SQLite is told that it is done.
        case staysSilently(DatabaseRefusal)
    }

    /// Decides on the removal of a file that no database of this process has had open.
    static func removal(of ownPath: DatabasePath) throws(DatabaseRefusal) -> Removal {
        guard let path = ownPath.text else {
            throw DatabaseRefusal(.failed, "latchkey: the path of the file is not UTF-8. Give it another name.")
        }
        if made.withLock({ $0.remove(ownPath) }) != nil { return .allowed }
        if let databasePath = ownPath.databaseOfSuperJournal {
            // The journals are played back: whether their list is deleted makes no difference any more.
            let database = databasePath.text.flatMap { SharedDatabase.open(at: $0) }
            guard let database, try tied(path, to: database) != nil else {
                return .staysSilently(DatabaseRefusal(superJournalStays: path))
            }
            return .allowed
        }
        guard let databasePath = ownPath.databaseOfJournal, let text = databasePath.text,
            let database = SharedDatabase.open(at: text),
            try isRemovable(path, DatabaseTies.role(ofSuffix: path.dropFirst(text.count)), of: database)
        else { throw DatabaseRefusal(notTied: path) }
        return .allowed
    }

    /// True if a journal is the database's, or nothing was ever stored in it. One that is not there is SQLite's to report.
    private static func isRemovable(
        _ path: String, _ role: FileTie.Role, of database: SharedDatabase
    ) throws(DatabaseRefusal) -> Bool {
        try refusing(path) { () throws(AccessFailure) in
            do throws(AccessFailure) {
                let expectation = FileExpectation.ownFile(ofUser: try database.file.status().st_uid)
                switch try database.vault.openAny(path, forWriting: false, expecting: expectation) {
                case .protected(let file): return try database.ties.take(file, as: role, isWritable: false)
                case .clear(let descriptor): return try descriptor.isBlank
                }
            } catch .system("open", ENOENT) {
                return true
            }
        }
    }
}
