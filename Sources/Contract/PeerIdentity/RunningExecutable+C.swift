import Glibc

@_implementationOnly import CLatchkeyShims

/// The file that a process runs, for a process that serves a file system: no file system is asked, because the executable
/// may be on the one that waits for the answer.
package final class RunningExecutable: Sendable {
    package let identity: FileIdentity
    private let descriptor: Int32

    /// Nil for a process that is gone, or whose executable the kernel does not name to this user.
    package init?(ofProcess number: Int32) {
        // O_PATH opens no file.
        let descriptor = unsafe open("/proc/\(number)/exe", OpenExecutable.pathOnly | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = lk_known_status()
        guard unsafe lk_file_known_status(descriptor, &status) == 0, status.mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        identity = FileIdentity(status)
    }

    /// The identity alone, by one call of the system. The process may run another program by now.
    package static func identity(ofProcess number: Int32) -> FileIdentity? {
        var status = lk_known_status()
        guard unsafe lk_file_known_status_at("/proc/\(number)/exe", &status) == 0, status.mode & S_IFMT == S_IFREG
        else {
            return nil
        }
        return FileIdentity(status)
    }

    deinit {
        close(descriptor)
    }

    /// Opens the file; nil if a process serves its file system, or if it was reached through a mount that this process does
    /// not see.
    package func opened() -> OpenExecutable? {
        withExtendedLifetime(self) {
            guard let type = MountTable.fileSystemType(of: descriptor), !type.hasPrefix("fuse") else { return nil }
            return try? OpenExecutable(path: "/proc/self/fd/\(descriptor)")
        }
    }
}

extension FileIdentity {
    fileprivate init(_ status: lk_known_status) {
        self.init(
            device: status.device, inode: status.number, byteCount: status.size, modified: status.modified,
            changed: status.changed, mode: status.mode, ownerID: status.user, groupID: status.group)
    }
}
