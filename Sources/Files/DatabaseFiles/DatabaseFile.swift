import LatchkeyFileAccess
import LatchkeyKeybag
import Synchronization

/// A file that SQLite has open: a database, a journal of one, or a temporary file. One connection uses it, as SQLite
/// sees to.
final class DatabaseFile {
    enum Role {
        /// A main database, with the number of its connection.
        case database(SharedDatabase, ConnectionNumber)
        case journal(SharedDatabase)
        case log
        /// The list of journals of a transaction over several databases, and temporary files.
        case other
    }

    let bytes: StoredBytes
    let role: Role
    /// Nil for temporary files.
    let path: String?
    let isReadOnly: Bool
    /// True if the log stays when the last connection is closed.
    var keepsLog = false
    /// True until the name of a new file is durable.
    private var isNameNew: Bool

    init(_ bytes: StoredBytes, _ role: Role, path: String?, isNew: Bool, isReadOnly: Bool = false) {
        self.bytes = bytes
        self.role = role
        self.path = path
        self.isReadOnly = isReadOnly
        isNameNew = isNew
    }

    private static let connections = Atomic<UInt64>(0)

    static func nextConnection() -> ConnectionNumber {
        ConnectionNumber(number: connections.add(1, ordering: .relaxed).newValue)
    }

    /// Makes content and name durable.
    func synchronize() throws(AccessFailure) {
        try bytes.synchronize()
        guard isNameNew, let path else { return }
        try OwnedDescriptor.synchronizeFolder(of: path)
        isNameNew = false
    }

    /// Called when SQLite closes the file.
    func close() throws(AccessFailure) {
        guard case .protected(let file) = bytes else { return }
        if case .database(let database, let connection) = role {
            defer {
                database.leaveIndex(connection)
                database.leave(connection)
            }
            try database.lower(connection, to: .none)
        }
        defer { if case .journal(let database) = role, let path { database.keep(journal: file, path: path) } }
        try file.writeOut()
    }

    /// Throws while the device does not give out the key of the database.
    func expectUsable() throws(AccessFailure) {
        _ = try bytes.size()
    }
}
