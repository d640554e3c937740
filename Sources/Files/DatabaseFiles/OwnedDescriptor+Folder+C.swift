import Glibc
import LatchkeyFileAccess

extension OwnedDescriptor {
    /// Makes the names in a file's folder durable.
    static func synchronizeFolder(of path: String) throws(AccessFailure) {
        let number = unsafe Glibc.open(FilePath.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may not be read, or of a file system that synchronizes none: the file is there all the same.
        guard number >= 0 else { return }
        defer { Glibc.close(number) }
        guard fsync(number) != 0, errno != EINVAL else { return }
        throw .system(call: "fsync", errno: errno)
    }

    /// True if the file never got its header: it is empty, or the disk lost what was written.
    var isBlank: Bool {
        get throws(AccessFailure) {
            var start = [UInt8](repeating: 0, count: 8192)
            let count = unsafe start.withUnsafeMutableBytes { unsafe pread(number, $0.baseAddress, $0.count, 0) }
            guard count >= 0 else { throw .system(call: "pread", errno: errno) }
            return start.allSatisfy { $0 == 0 }
        }
    }
}
