public import Foundation
import LatchkeyDatabaseFiles
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages

/// Databases of SQLite whose files follow the lock state of the device.
///
/// The database, its journals and its write-ahead log are protected files of one class. Every connection of the process can open one, by
/// the file system ``vfsName``:
///
/// ```swift
/// try ProtectedDatabase.register()
/// let queue = try DatabaseQueue(path: ProtectedDatabase.uri(forPath: path, protection: .complete))
/// ```
public enum ProtectedDatabase {
    /// The name of the file system: `vfs=latchkey` in a URI, or the last argument of `sqlite3_open_v2`.
    public static let vfsName = DatabaseVFS.name

    /// A result code of SQLite.
    public struct RegistrationError: Error, Sendable, CustomStringConvertible {
        public let resultCode: Int32

        public var description: String {
            "SQLite did not take the file system \"\(ProtectedDatabase.vfsName)\" (result code \(resultCode))."
        }
    }

    /// Makes the file system known to the SQLite of the process, before the first connection that names it. Further calls change nothing.
    ///
    /// Settings by `sqlite3_config` come before this call.
    public static func register() throws(RegistrationError) {
        let outcome = DatabaseVFS.register { () throws(AccessFailure) in
            do throws(DeviceFailure) {
                return FileVault.of(try CurrentKeychain.keychain())
            } catch {
                throw .refused(FileKeyRefusal(.notAvailable, .withoutRule(reason: error.description)))
            }
        }
        // SQLITE_OK
        guard outcome == 0 else { throw RegistrationError(resultCode: outcome) }
    }

    /// Returns the URI of a protected database, for libraries that take a path. Characters with a meaning in URIs are escaped.
    ///
    /// - Parameter protection: the class if the file is new; nil for that of its folder, or
    ///   `completeUntilFirstUserAuthentication`. A file that is there keeps its class.
    public static func uri(forPath path: String, protection: FileProtectionType? = nil) -> String {
        let uri = DatabaseURI(path: path, protection: nil).text
        // A class that is not known is refused when the database is opened.
        return protection.map { uri + "&protection=" + $0.rawValue } ?? uri
    }
}
