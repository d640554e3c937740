/// The file that a process runs: the file itself, not another one that has its name by now.
package struct ExecutableFile: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    /// The path as the kernel reports it, without the mark of a deleted file. Bytes, because a path need not be UTF-8.
    package let path: [UInt8]
    /// True if the path means the same here as to the process. A process in another mount namespace can run a file of
    /// its own under any path.
    package let isPathKnown: Bool

    package init(device: UInt64, inode: UInt64, path: [UInt8], isPathKnown: Bool = true) {
        self.device = device
        self.inode = inode
        self.path = path
        self.isPathKnown = isPathKnown
    }

    /// Stands for a program that was not inspected; no file is the same as this one.
    package static let unseen = ExecutableFile(
        device: 0, inode: 0, path: Array("(a program that was not looked at)".utf8), isPathKnown: false)

    /// The last component of the path.
    package var name: String {
        String(decoding: path.split(separator: UInt8(ascii: "/")).last ?? [], as: UTF8.self)
    }

    /// The path for people and logs.
    package var displayPath: String {
        String(decoding: path, as: UTF8.self)
    }

    /// Returns true if both are the same file, under any name.
    package func isSameFile(as other: ExecutableFile) -> Bool {
        device == other.device && inode == other.inode && self != .unseen && other != .unseen
    }
}
