import LatchkeyKeybag

@_implementationOnly import GRDBSQLite

/// `sqlite3_open_v2` with Apple's flags.
extension DatabaseVFS {
    /// The flags that name a class; SQLite does not hand them to file systems.
    private static let protections: [Int32: FileProtection] = [
        0x0010_0000: .complete,
        0x0020_0000: .completeUnlessOpen,
        0x0030_0000: .completeUntilFirstUserAuthentication,
        0x0040_0000: .none,
    ]
    private static let protectionMask: Int32 = 0x0070_0000

    /// Opens a connection: through this file system, unless the caller names another one.
    package static func openConnection(
        _ filename: UnsafePointer<CChar>?, _ database: UnsafeMutablePointer<OpaquePointer?>?, _ flags: Int32,
        _ vfs: UnsafePointer<CChar>?
    ) -> Int32 {
        let named = flags & protectionMask
        let rest = flags & ~protectionMask
        if let vfs = unsafe vfs, unsafe String(cString: vfs) != name {
            guard named == 0 else { return SQLITE_MISUSE }
            return unsafe sqlite3_open_v2(filename, database, rest, vfs)
        }
        guard named == 0 || protections[named] != nil else { return SQLITE_MISUSE }
        let protection = protections[named]
        let text = unsafe filename.map { unsafe String(cString: $0) } ?? ""
        if text.isEmpty || text == ":memory:" { return unsafe sqlite3_open_v2(filename, database, rest, name) }
        if text.hasPrefix("file:") {
            // The URI's choice would go before this one, and the class would be forgotten.
            guard named == 0 || DatabaseURI.fileSystem(of: text).map({ $0 == name }) ?? true else {
                return SQLITE_MISUSE
            }
            return unsafe sqlite3_open_v2(
                DatabaseURI(text, adding: protection).text, database, rest | SQLITE_OPEN_URI, name)
        }
        let uri = DatabaseURI(path: text, protection: protection)
        return unsafe sqlite3_open_v2(uri.text, database, rest | SQLITE_OPEN_URI, name)
    }
}
