package import Glibc

@_implementationOnly import CLatchkeyShims

/// A directory that is held open. Its entries are reached through it, so that another program that renames directories or
/// puts links in their place meanwhile cannot lead anywhere else.
package final class OpenDirectory: Sendable {
    package let number: Int32
    /// The path under which it was opened, for people.
    package let path: String

    private init(_ number: Int32, path: String) {
        self.number = number
        self.path = path
    }

    deinit {
        close(number)
    }

    /// Opens the directory that a path leads to, links followed.
    package convenience init(opening path: String) throws(AccessFailure) {
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .system(call: "open", errno: errno) }
        self.init(number, path: path)
    }

    /// A path that leads to this directory in this process, wherever it has been moved.
    package var ownPath: String { "/proc/self/fd/\(number)" }

    /// The path of an entry, for people.
    package func path(of name: FileName) -> String {
        FilePath.entry(name.text, of: path)
    }

    /// Opens a directory in this one; a link is refused.
    package func directory(_ name: FileName) throws(AccessFailure) -> OpenDirectory {
        let opened = unsafe openat(number, name.characters, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { throw .system(call: "openat", errno: errno) }
        return OpenDirectory(opened, path: path(of: name))
    }

    /// Opens a regular file in this directory; a link is refused.
    package func file(
        _ name: FileName, _ flags: Int32 = O_RDONLY, permissions: UInt32 = 0o600
    ) throws(AccessFailure) -> OwnedDescriptor {
        var opened: Int32
        repeat {
            opened = unsafe openat(
                number, name.characters, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, permissions)
        } while opened < 0 && errno == EINTR
        guard opened >= 0 else { throw .system(call: "openat", errno: errno) }
        let file = OwnedDescriptor(owning: opened)
        guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .system(call: "openat", errno: EINVAL) }
        return file
    }

    /// The state of an entry; a link is not followed. Nil if there is none of that name.
    package func status(of name: FileName) throws(AccessFailure) -> stat? {
        var status = stat()
        let outcome = unsafe fstatat(number, name.characters, &status, AT_SYMLINK_NOFOLLOW)
        guard outcome != 0 else { return status }
        guard errno == ENOENT else { throw .system(call: "fstatat", errno: errno) }
        return nil
    }

    package func status() throws(AccessFailure) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
        return status
    }

    /// The names of all entries, in order.
    package func names() throws(AccessFailure) -> [FileName] {
        try DirectoryEntry.all(in: number).map(\.name).sorted()
    }

    /// The number of bytes that this user can still write; nil if the file system does not say.
    package var freeByteCount: UInt64? {
        var status = statvfs()
        guard unsafe fstatvfs(number, &status) == 0, status.f_frsize > 0, status.f_blocks > 0 else { return nil }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? nil : bytes
    }

    /// Makes a directory in this one. One that is there is left as it is.
    package func makeDirectory(_ name: FileName, permissions: UInt32) throws(AccessFailure) {
        guard unsafe mkdirat(number, name.characters, permissions) != 0, errno != EEXIST else { return }
        throw .system(call: "mkdirat", errno: errno)
    }

    /// Makes a directory for this user alone in this one, and opens it.
    func newDirectory(_ name: FileName) throws(AccessFailure) -> OpenDirectory {
        guard unsafe mkdirat(number, name.characters, 0o700) == 0 else {
            throw .system(call: "mkdirat", errno: errno)
        }
        do throws(AccessFailure) {
            return try directory(name)
        } catch {
            removeDirectory(name)
            throw error
        }
    }

    /// Removes a directory that is empty.
    func removeDirectory(_ name: FileName) {
        _ = unsafe unlinkat(number, name.characters, AT_REMOVEDIR)
    }

    package func makeLink(_ name: FileName, to target: FileName) throws(AccessFailure) {
        guard unsafe symlinkat(target.characters, number, name.characters) != 0 else { return }
        throw .system(call: "symlinkat", errno: errno)
    }

    /// The path in a link, as it is stored.
    package func target(ofLink name: FileName) throws(AccessFailure) -> FileName {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlinkat(number, name.characters, &target, target.count)
        guard count >= 0 else { throw .system(call: "readlinkat", errno: errno) }
        return FileName(target[..<count].map { UInt8(bitPattern: $0) })
    }

    /// Gives a link its times; another user's keeps its own.
    package func setTimes(ofLink name: FileName, _ access: timespec, _ change: timespec) {
        _ = unsafe utimensat(number, name.characters, [access, change], AT_SYMLINK_NOFOLLOW)
    }

    package func remove(_ name: FileName) {
        _ = unsafe unlinkat(number, name.characters, 0)
    }

    /// Makes changes of names durable.
    package func synchronize() throws(AccessFailure) {
        // File systems that synchronize no directory say so with EINVAL.
        guard fsync(number) != 0, errno != EINVAL else { return }
        throw .system(call: "fsync", errno: errno)
    }

    /// Swaps two entries. False where the file system does not support that.
    func exchange(_ one: FileName, _ other: FileName) throws(AccessFailure) -> Bool {
        let outcome = unsafe lk_file_exchange(number, one.characters, other.characters)
        guard outcome != 0 else { return true }
        guard outcome == -EINVAL || outcome == -ENOSYS else { throw .system(call: "renameat2", errno: -outcome) }
        return false
    }

    /// Moves an entry to another directory of the same file system, in place of one of its name there.
    package func move(_ name: FileName, to other: OpenDirectory) throws(AccessFailure) {
        guard unsafe renameat(number, name.characters, other.number, name.characters) == 0 else {
            throw .system(call: "renameat", errno: errno)
        }
    }

    /// Moves an entry to another directory of the same file system. Returns false if there is one of its name.
    func move(_ name: FileName, toNewNameIn other: OpenDirectory) throws(AccessFailure) -> Bool {
        // RENAME_NOREPLACE
        let outcome = unsafe lk_file_move_entry(number, name.characters, other.number, name.characters, 1)
        guard outcome != -EEXIST else { return false }
        guard outcome == 0 else { throw .system(call: "renameat2", errno: -outcome) }
        return true
    }

    package func rename(_ one: FileName, to other: FileName) throws(AccessFailure) {
        guard unsafe renameat(number, one.characters, number, other.characters) == 0 else {
            throw .system(call: "renameat", errno: errno)
        }
    }
}

/// A file, or another entry, by its directory and its name there.
package struct FilePlace: Sendable {
    package let directory: OpenDirectory
    package let name: FileName

    package init(_ directory: OpenDirectory, _ name: FileName) {
        self.directory = directory
        self.name = name
    }

    /// The place of the file that a path leads to, links followed.
    package init(ofFileAt path: String) throws(AccessFailure) {
        let real = try FilePath.real(path)
        directory = try OpenDirectory(opening: FilePath.folder(of: real))
        name = FileName.parts(of: real).last ?? FileName("")
    }

    /// For people.
    package var path: String { directory.path(of: name) }
}
