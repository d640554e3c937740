import LatchkeyDatabaseFiles

/// Apple's flags of `sqlite3_open_v2`.
public let SQLITE_OPEN_FILEPROTECTION_COMPLETE: Int32 = 0x0010_0000
public let SQLITE_OPEN_FILEPROTECTION_COMPLETEUNLESSOPEN: Int32 = 0x0020_0000
public let SQLITE_OPEN_FILEPROTECTION_COMPLETEUNTILFIRSTUSERAUTHENTICATION: Int32 = 0x0030_0000
public let SQLITE_OPEN_FILEPROTECTION_NONE: Int32 = 0x0040_0000
public let SQLITE_OPEN_FILEPROTECTION_MASK: Int32 = 0x0070_0000

/// Opens a protected database: SQLite's function of this name, which knows Apple's flags.
///
/// Write `ProtectedSQLite.sqlite3_open_v2` where SQLite is imported, too.
///
/// - Parameters:
///   - filename: a path, which may have any characters, or a URI with `file:` at its start.
///   - flags: those of SQLite, and at most one class for a new file. Without one it gets that of its folder, or
///     `COMPLETEUNTILFIRSTUSERAUTHENTICATION`.
///   - zVfs: nil for protected files. Another file system takes no class.
/// - Returns: a result code of SQLite; `SQLITE_AUTH` while the device does not give out the key, `SQLITE_CANTOPEN` for a
///   database in clear.
// The same types as the import of SQLite's own function has: a call that does not say which one it means is refused by the
// compiler. With others, it would take SQLite's without a word, and the database would be in clear.
public func sqlite3_open_v2(
    _ filename: UnsafePointer<CChar>!, _ ppDb: UnsafeMutablePointer<OpaquePointer?>!, _ flags: Int32,
    _ zVfs: UnsafePointer<CChar>!
) -> Int32 {
    do throws(ProtectedDatabase.RegistrationError) {
        try ProtectedDatabase.register()
    } catch {
        return error.resultCode
    }
    return unsafe DatabaseVFS.openConnection(filename, ppDb, flags, zVfs)
}
