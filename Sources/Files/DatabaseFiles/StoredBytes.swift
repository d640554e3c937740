import LatchkeyFileAccess
import LatchkeyFileFormat

/// The bytes of one file of SQLite.
enum StoredBytes {
    case protected(OpenFile)
    /// A file without a name, which ends with the connection.
    case temporary(TemporaryFile)
    /// The log of a database that is opened for reading only and has none: another connection of this process may make it.
    case absentLog(SharedDatabase)

    func size() throws(AccessFailure) -> UInt64 {
        switch self {
        case .protected(let file): try file.size()
        case .temporary(let file): try file.size()
        case .absentLog(let database): try database.log?.size() ?? 0
        }
    }

    /// Reads up to the end of the file and returns the number of bytes.
    func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        switch self {
        case .protected(let file): try unsafe file.read(at: offset, into: bytes)
        case .temporary(let file): try unsafe file.read(at: offset, into: bytes)
        case .absentLog(let database): try unsafe database.log?.read(at: offset, into: bytes) ?? 0
        }
    }

    func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        switch self {
        case .protected(let file): try unsafe file.write(at: offset, from: bytes)
        case .temporary(let file): try unsafe file.write(at: offset, from: bytes)
        case .absentLog: throw .file(.readOnly)
        }
    }

    func truncate(to length: UInt64) throws(AccessFailure) {
        switch self {
        case .protected(let file): try file.truncate(to: length)
        case .temporary(let file): try file.truncate(to: length)
        case .absentLog: throw .file(.readOnly)
        }
    }

    /// Makes the content durable. A temporary file ends with the process, so it has nothing to wait for.
    func synchronize() throws(AccessFailure) {
        switch self {
        case .protected(let file): try file.synchronize()
        case .temporary, .absentLog: break
        }
    }
}
