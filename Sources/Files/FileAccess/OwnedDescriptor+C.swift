package import Glibc
import LatchkeyFileFormat

@_implementationOnly import CLatchkeyShims

/// An open file, closed when its last owner releases it.
package final class OwnedDescriptor: Sendable {
    package let number: Int32

    package init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens a regular file. The descriptor is closed in programs that this process starts.
    ///
    /// - Parameter flags: of `open`; `O_CLOEXEC` and `O_NONBLOCK` are added, so that a pipe without a writer does not block.
    package convenience init(
        opening path: String, _ flags: Int32, permissions: UInt32 = 0o600
    ) throws(AccessFailure) {
        var number: Int32
        repeat {
            number = unsafe Glibc.open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, permissions)
        } while number < 0 && errno == EINTR
        guard number >= 0 else { throw .system(call: "open", errno: errno) }
        self.init(owning: number)
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw .system(call: "open", errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL)
        }
    }

    /// Makes an empty file without a name, which is gone with its descriptor.
    package static func unnamed() throws(AccessFailure) -> OwnedDescriptor {
        var failure: Int32 = 0
        for folder in ["/dev/shm", "/tmp", "/var/tmp"] {
            let number = unsafe lk_file_open_unnamed(folder)
            guard number < 0 else { return OwnedDescriptor(owning: number) }
            failure = -number
        }
        throw .system(call: "open", errno: failure)
    }

    /// Makes a file and opens it for reading and writing; nil if there is one already.
    convenience init?(making path: String, permissions: UInt32) throws(AccessFailure) {
        do throws(AccessFailure) {
            try self.init(opening: path, O_RDWR | O_CREAT | O_EXCL, permissions: permissions)
        } catch .system(_, EEXIST) {
            return nil
        }
    }

    /// Removes the file under this path, if it is this one and has no content.
    func removeIfEmpty(_ path: String) {
        var named = stat()
        guard unsafe lstat(path, &named) == 0, let own = try? status(), own.st_size == 0, own.st_ino == named.st_ino,
            own.st_dev == named.st_dev
        else { return }
        unsafe unlink(path)
    }

    /// True if the file is a protected one, whole or damaged.
    package var isProtected: Bool {
        get throws(AccessFailure) {
            do throws(AccessFailure) {
                return try !FileEnvelope.readable(in: DescriptorBacking(descriptor: number)).isEmpty
            } catch .notProtected {
                return false
            } catch .file(.notAuthentic), .file(.headersDisagree), .file(.newerVersion) {
                return true
            }
        }
    }

    package func status() throws(AccessFailure) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
        return status
    }

    /// The file itself, whatever its names are.
    package func identity() throws(AccessFailure) -> FileIdentity {
        let status = try status()
        return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    /// The file's path at present, for people; nil if the system does not say.
    var path: String? { FilePath.resolved("/proc/self/fd/\(number)") }

    /// Locks the whole file against other processes: for reading beside other readers, or alone. Waits for two seconds.
    ///
    /// The lock belongs to this descriptor and ends with it.
    package func lock(alone: Bool) throws(AccessFailure) {
        for attempt in 0... {
            switch -lk_file_lock(number, alone ? LK_LOCK_ALONE : LK_LOCK_SHARED) {
            case 0: return
            case EAGAIN, EINTR: break
            case let error: throw .system(call: "fcntl(F_OFD_SETLK)", errno: error)
            }
            guard attempt < Self.lockAttempts else { throw .inUse }
            usleep(Self.lockPauseMicroseconds)
        }
    }

    /// The same without waiting. Returns false if another opening is in the way.
    package func tryLock(alone: Bool) throws(AccessFailure) -> Bool {
        switch -lk_file_lock(number, alone ? LK_LOCK_ALONE : LK_LOCK_SHARED) {
        case 0: return true
        case EAGAIN: return false
        case let error: throw .system(call: "fcntl(F_OFD_SETLK)", errno: error)
        }
    }

    /// Ends a lock of this descriptor.
    package func unlock() {
        _ = lk_file_lock(number, LK_LOCK_NONE)
    }

    /// Cuts off all content.
    func empty() throws(AccessFailure) {
        guard ftruncate(number, 0) == 0 else { throw .system(call: "ftruncate", errno: errno) }
    }

    private static let lockAttempts = 200
    private static let lockPauseMicroseconds: UInt32 = 10_000
}

package struct FileIdentity: Hashable, Sendable {
    /// The file under a path; nil if there is none.
    package init?(ofFileAt path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }

    package init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }

    private let device: UInt64
    /// The number of the file on its file system.
    package let number: UInt64
}
