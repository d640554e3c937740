/// The file that a process runs: itself, not whatever has its name by now.
package struct ExecutableFile: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    /// The path as the kernel reports it, without the mark of a deleted file. Bytes, because a path need not be UTF-8.
    package let path: [UInt8]

    package init(device: UInt64, inode: UInt64, path: [UInt8]) {
        self.device = device
        self.inode = inode
        self.path = path
    }

    /// The last component of the path.
    package var name: String {
        String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// The path for people and logs.
    package var displayPath: String {
        String(decoding: path, as: UTF8.self)
    }

    /// True if both are the same file, under whatever name.
    package func isSameFile(as other: ExecutableFile) -> Bool {
        device == other.device && inode == other.inode
    }
}
