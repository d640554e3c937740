import Glibc

/// An entry of a directory as `readdir` says it.
package struct DirectoryEntry: Sendable {
    package let name: FileName
    /// Of the file, as `stat` has it.
    package let number: UInt64
    /// `DT_REG` and its like.
    package let type: UInt8

    /// All entries but `.` and `..`.
    ///
    /// - Parameter directory: the descriptor of an open directory, which stays as it is.
    package static func all(in directory: Int32) throws(AccessFailure) -> [DirectoryEntry] {
        // Another opening: a stream takes its descriptor with it, and copies of one share their position.
        let opened = unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .system(call: "openat", errno: errno) }
        guard let stream = unsafe fdopendir(opened) else {
            let number = errno
            close(opened)
            throw .system(call: "fdopendir", errno: number)
        }
        defer { unsafe closedir(stream) }
        var entries: [DirectoryEntry] = []
        while true {
            // Null is the end and a failure.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe FileName(bytes.prefix { $0 != 0 })
            }
            guard name != FileName("."), name != FileName("..") else { continue }
            unsafe entries.append(
                DirectoryEntry(name: name, number: UInt64(entry.pointee.d_ino), type: entry.pointee.d_type))
        }
        guard errno == 0 else { throw .system(call: "readdir", errno: errno) }
        return entries
    }
}
