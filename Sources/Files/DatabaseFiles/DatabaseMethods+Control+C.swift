import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag

@_implementationOnly import GRDBSQLite

/// `xFileControl`.
extension DatabaseMethods {
    static func control(_ file: DatabaseFile, _ operation: Int32, _ argument: UnsafeMutableRawPointer?) -> Int32 {
        switch operation {
        case SQLITE_FCNTL_LOCKSTATE:
            guard case .database(let database, let connection) = file.role else { return SQLITE_NOTFOUND }
            unsafe argument?.storeBytes(of: database.level(of: connection).rawValue, as: Int32.self)
        case SQLITE_FCNTL_PERSIST_WAL:
            guard let argument = unsafe argument else { return SQLITE_MISUSE }
            let wanted = unsafe argument.load(as: Int32.self)
            if wanted >= 0 { file.keepsLog = wanted != 0 }
            unsafe argument.storeBytes(of: file.keepsLog ? 1 : 0, as: Int32.self)
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            unsafe argument?.storeBytes(of: 1, as: Int32.self)
        case SQLITE_FCNTL_VFSNAME:
            guard let text = unsafe copy(DatabaseVFS.name) else { return SQLITE_NOMEM }
            unsafe argument?.storeBytes(of: text, as: UnsafeMutablePointer<CChar>.self)
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            guard case .database(let database, let connection) = file.role else { return SQLITE_NOTFOUND }
            do throws(AccessFailure) {
                try database.writeOutCommit(connection)
            } catch {
                return DatabaseRefusal(error, path: file.path).report(.synchronize)
            }
        case SQLITE_FCNTL_HAS_MOVED:
            unsafe argument?.storeBytes(of: hasMoved(file) ? 1 : 0, as: Int32.self)
        case SQLITE_FCNTL_PRAGMA:
            guard let words = unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self) else {
                return SQLITE_NOTFOUND
            }
            return unsafe pragma(file, words)
        default: return SQLITE_NOTFOUND
        }
        return SQLITE_OK
    }

    /// `PRAGMA file_protection`: Apple's name of the class. `PRAGMA locking_mode = exclusive` stays "normal": SQLite would no
    /// longer lock and unlock, which is when the key is asked for and changes are written out.
    private static func pragma(
        _ file: DatabaseFile, _ words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Int32 {
        guard let name = unsafe words[1], case .protected(let open) = file.bytes else { return SQLITE_NOTFOUND }
        if unsafe strcasecmp(name, "locking_mode") == 0, let wanted = unsafe words[2],
            unsafe strcasecmp(wanted, "exclusive") == 0
        {
            unsafe words[0] = unsafe copy("normal")
            return SQLITE_OK
        }
        guard unsafe strcasecmp(name, "file_protection") == 0 else { return SQLITE_NOTFOUND }
        guard unsafe words[2] == nil else {
            unsafe words[0] = unsafe copy("PRAGMA file_protection only reads; ProtectedFileManager changes a class")
            return SQLITE_ERROR
        }
        unsafe words[0] = unsafe copy(open.protection.rawValue)
        return SQLITE_OK
    }

    private static func hasMoved(_ file: DatabaseFile) -> Bool {
        guard case .database(let database, _) = file.role, let path = file.path else { return false }
        return SharedDatabase.open(at: path) !== database
    }

    /// A text in memory that SQLite releases.
    private static func copy(_ text: String) -> UnsafeMutablePointer<CChar>? {
        let bytes = text.utf8CString
        guard let memory = unsafe sqlite3_malloc(Int32(bytes.count)) else { return nil }
        let characters = unsafe memory.bindMemory(to: CChar.self, capacity: bytes.count)
        for (index, byte) in bytes.enumerated() { unsafe characters[index] = byte }
        return unsafe characters
    }
}
