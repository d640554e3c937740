import Glibc

extension ExecutableFile {
    /// The mark that the kernel appends to the path of a file that was removed or replaced while it runs.
    private static let deletedMark = Array(" (deleted)".utf8)

    /// Finds the file that process `pid` runs.
    init(ofProcess pid: Int32) throws(IdentityFailure) {
        try self.init(program: try OpenExecutable(ofProcess: pid), ofProcess: pid)
    }

    /// Finds the file that process `pid` runs and that is open as `program`.
    init(program: OpenExecutable, ofProcess pid: Int32) throws(IdentityFailure) {
        let (device, inode) = (program.identity.device, program.identity.inode)
        let path = try Self.path(ofProcess: pid)
        func isThere(_ path: [UInt8]) -> Bool {
            Self.file(at: path).map { $0.device == device && $0.inode == inode } == true
        }
        if isThere(path) {
            self.init(device: device, inode: inode, path: path)
            return
        }
        let isMarked = path.ends(with: Self.deletedMark)
        self.init(
            device: device, inode: inode, path: isMarked ? Array(path.dropLast(Self.deletedMark.count)) : path,
            isPathKnown: program.withDescriptor { MountTable.isMountedHere($0) })
    }

    /// Returns true if process `pid` still runs the file, by device and inode.
    static func isSameFile(_ file: ExecutableFile, inProcess pid: Int32) throws(IdentityFailure) -> Bool {
        var status = stat()
        guard unsafe stat("/proc/\(pid)/exe", &status) == 0 else { throw failure(pid: pid, errno: errno) }
        return UInt64(status.st_dev) == file.device && UInt64(status.st_ino) == file.inode
    }

    /// Finds the file that is at a path now; nil if there is none.
    package static func file(at path: [UInt8]) -> ExecutableFile? {
        var status = stat()
        let outcome = unsafe (path + [0]).withUnsafeBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text -> Int32 in
                guard let start = text.baseAddress else { return -1 }
                return unsafe stat(start, &status)
            }
        }
        guard outcome == 0 else { return nil }
        return ExecutableFile(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), path: path)
    }

    static func failure(pid: Int32, errno: Int32) -> IdentityFailure {
        errno == ENOENT || errno == ESRCH ? .processEnded(pid: pid) : .notInspectable(pid: pid, errno: errno)
    }

    private static func path(ofProcess pid: Int32) throws(IdentityFailure) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe target.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text -> Int in
                guard let start = text.baseAddress else { return -1 }
                return unsafe readlink("/proc/\(pid)/exe", start, text.count)
            }
        }
        guard count > 0 else { throw failure(pid: pid, errno: errno) }
        return Array(target.prefix(count))
    }
}

extension Array where Element == UInt8 {
    fileprivate func ends(with suffix: [UInt8]) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}
