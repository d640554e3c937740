import Glibc

extension ExecutableFile {
    /// What the kernel appends to the path of a file that was removed or replaced while it runs.
    private static let deletedMark = Array(" (deleted)".utf8)

    /// The file that process `pid` runs.
    init(ofProcess pid: Int32) throws(IdentityFailure) {
        let link = "/proc/\(pid)/exe"
        var status = stat()
        guard unsafe stat(link, &status) == 0 else { throw Self.failure(pid: pid, errno: errno) }
        var target = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe target.withUnsafeMutableBytes { buffer in
            unsafe buffer.withMemoryRebound(to: CChar.self) { text -> Int in
                guard let start = text.baseAddress else { return -1 }
                return unsafe readlink(link, start, text.count)
            }
        }
        guard count > 0 else { throw Self.failure(pid: pid, errno: errno) }
        let path = Array(target.prefix(count))
        self.init(device: UInt64(status.st_dev), inode: UInt64(status.st_ino), path: path)
        if path.ends(with: Self.deletedMark), Self.file(at: path).map({ isSameFile(as: $0) }) != true {
            self.init(device: device, inode: inode, path: Array(path.dropLast(Self.deletedMark.count)))
        }
    }

    /// The file at a path now; nil if there is none.
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

    private static func failure(pid: Int32, errno: Int32) -> IdentityFailure {
        errno == ENOENT || errno == ESRCH ? .processEnded(pid: pid) : .notInspectable(pid: pid, errno: errno)
    }
}

extension Array where Element == UInt8 {
    fileprivate func ends(with suffix: [UInt8]) -> Bool {
        count >= suffix.count && self[(count - suffix.count)...].elementsEqual(suffix)
    }
}
