import Glibc

/// An open executable: the file that a process runs, even if its name has changed.
package final class OpenExecutable: Sendable {
    private let descriptor: Int32
    /// The identity when it was opened.
    package let identity: FileIdentity
    /// False for a file that may be run but not read.
    package let isReadable: Bool
    /// Programs of this mount do not get a group from their file (`nosuid`).
    package let ignoresGroupOfFile: Bool

    /// Opens the executable of process `pid`.
    convenience init(ofProcess pid: Int32) throws(IdentityFailure) {
        do throws(OpenFailure) {
            try self.init(link: "/proc/\(pid)/exe")
        } catch {
            throw ExecutableFile.failure(pid: pid, errno: error.errno)
        }
    }

    /// Opens the file at a path, which need not run.
    package convenience init(path: String) throws(OpenFailure) {
        try self.init(link: path)
    }

    /// The `errno` of a file that cannot be opened.
    package struct OpenFailure: Error, Sendable, Equatable {
        package let errno: Int32
    }

    private init(link: String) throws(OpenFailure) {
        // A path may lead to any file; opening a device or a pipe must not block.
        let readable = unsafe open(link, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        let number = readable >= 0 || errno != EACCES ? readable : unsafe open(link, Self.pathOnly | O_CLOEXEC)
        guard number >= 0 else { throw OpenFailure(errno: errno) }
        guard let identity = Self.identity(of: number) else {
            let error = errno
            close(number)
            throw OpenFailure(errno: error)
        }
        guard identity.mode & S_IFMT == S_IFREG else {
            close(number)
            throw OpenFailure(errno: EINVAL)
        }
        var mount = statvfs()
        // If this fails, assume the worst.
        ignoresGroupOfFile = unsafe fstatvfs(number, &mount) != 0 || mount.f_flag & UInt(ST_NOSUID) != 0
        descriptor = number
        self.identity = identity
        isReadable = readable >= 0
    }

    deinit {
        close(descriptor)
    }

    /// Calls `body` with the descriptor, which is open for reading unless ``isReadable`` is false.
    package func withDescriptor<R, E: Error>(_ body: (Int32) throws(E) -> R) throws(E) -> R {
        // The descriptor is closed with this object, and the number may then be another file's.
        defer { withExtendedLifetime(self) {} }
        return try body(descriptor)
    }

    /// Returns the identity as it is now; nil if the system does not say.
    package func identityNow() -> FileIdentity? {
        withDescriptor { Self.identity(of: $0) }
    }

    /// Glibc's `O_PATH`, which Swift does not import.
    static let pathOnly: Int32 = 0o10_000_000

    private static func identity(of descriptor: Int32) -> FileIdentity? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return FileIdentity(status)
    }
}
