import Foundation
import Glibc
import LatchkeyEncoding

/// The system's part of opening a database file: SQLite says that it cannot open one, and not why.
enum DatabaseOpening {
    /// SQLITE_CANTOPEN.
    private static let cannotOpen: Int32 = 14
    /// The descriptors of some connections, which a failed opening has closed again.
    private static let descriptorCount = 16

    /// Creates the file with a mode that only its owner can access; SQLite gives the same mode to its log and index.
    ///
    /// A file that is there stays closed: to close it would release the locks that this process has on it.
    static func makePrivate(_ path: String) throws(ItemDatabaseFailure) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor < 0 else {
            close(descriptor)
            return
        }
        var number = errno
        // A file that can only be read is opened, and the first write is refused.
        if isAccessible(path, R_OK) { return }
        if number == EEXIST { number = errno }
        throw .notOpened(StorageObstacle(systemError: number))
    }

    /// Runs `body`, and finds the system's reason where SQLite gives none.
    static func explaining<Value>(
        _ path: String, _ body: () throws(ItemDatabaseFailure) -> Value
    ) throws(ItemDatabaseFailure) -> Value {
        do throws(ItemDatabaseFailure) {
            return try body()
        } catch {
            switch error {
            case .other(cannotOpen, _), .inputOutput: break
            default: throw error
            }
            guard let number = reason(path) else { throw error }
            throw .notOpened(StorageObstacle(systemError: number))
        }
    }

    /// Looks for what keeps SQLite from opening a database. The files themselves stay closed: to close one would release the
    /// locks that this process has on it.
    private static func reason(_ path: String) -> Int32? {
        for file in [path, path + "-wal", path + "-shm"] where !isAccessible(file, R_OK | W_OK) {
            if errno != ENOENT { return errno }
        }
        let directory = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard isAccessible(directory, W_OK | X_OK) else { return errno }
        var volume = statvfs()
        guard unsafe statvfs(directory, &volume) == 0 else { return errno }
        return volume.f_bavail == 0 ? ENOSPC : exhaustion()
    }

    /// The error of this process or machine that has no descriptors left.
    private static func exhaustion() -> Int32? {
        var opened: [Int32] = []
        defer {
            for descriptor in opened { close(descriptor) }
        }
        for _ in 0..<descriptorCount {
            let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno }
            opened.append(descriptor)
        }
        return nil
    }

    private static func isAccessible(_ path: String, _ mode: Int32) -> Bool {
        unsafe faccessat(AT_FDCWD, path, mode, AT_EACCESS) == 0
    }
}
