/// The file that a process runs: itself, not whatever has its name by now.
package struct ExecutableFile: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    /// The path as the kernel reports it, without the mark of a deleted file. Bytes, because a path need not be UTF-8.
    package let path: [UInt8]
    /// Whether the path means here what it means to the process. A process in another mount namespace can run a file of
    /// its own under any path there is.
    package let isPathKnown: Bool

    package init(device: UInt64, inode: UInt64, path: [UInt8], isPathKnown: Bool = true) {
        self.device = device
        self.inode = inode
        self.path = path
        self.isPathKnown = isPathKnown
    }

    /// Stands for a program that was not looked at; no file is the same as this one.
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

    /// True if both are the same file, under whatever name.
    package func isSameFile(as other: ExecutableFile) -> Bool {
        device == other.device && inode == other.inode && self != .unseen && other != .unseen
    }
}
