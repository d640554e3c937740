package import Glibc

@_implementationOnly import CLatchkeyShims

/// A folder that is held open, and whose content other programs choose.
///
/// Entries are reached through the descriptor and links are never followed, so that nothing leads out of the folder. No call waits for
/// a pipe, reads more than it was told, or keeps more names than it was told.
package final class OpenFolder: Sendable {
    package let number: Int32

    private init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Opens the folder to which a path leads. Links in the path are followed.
    package convenience init(opening path: String) throws(SystemCallFailure) {
        let number = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .last("open") }
        self.init(owning: number)
    }

    /// Opens a folder in this one. Returns nil if there is no entry of that name.
    package func folder(_ name: String) throws(SystemCallFailure) -> OpenFolder? {
        let opened = unsafe openat(number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if opened < 0, errno == ENOENT { return nil }
        guard opened >= 0 else { throw .last("openat") }
        return OpenFolder(owning: opened)
    }

    /// Opens a folder in this one, after making it if it is missing.
    ///
    /// - Parameter permissions: of a new folder, whatever the file mode creation mask is.
    /// - Returns: the folder, and true if it was made.
    package func folder(
        making name: String, permissions: UInt32
    ) throws(SystemCallFailure) -> (folder: OpenFolder, isNew: Bool) {
        if let known = try folder(name) { return (known, false) }
        let isNew = unsafe mkdirat(number, name, permissions) == 0
        guard isNew || errno == EEXIST else { throw .last("mkdirat") }
        guard let made = try folder(name) else { throw SystemCallFailure("openat", ENOENT) }
        // File systems without permissions refuse it.
        if isNew { _ = fchmod(made.number, permissions) }
        return (made, isNew)
    }

    /// A path to this folder for calls that take nothing else. It needs `/proc`.
    package var ownPath: String { "/proc/self/fd/\(number)" }

    package func status() throws(SystemCallFailure) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last("fstat") }
        return status
    }

    /// Returns nil if there is no entry of that name.
    package func mark(of name: String) throws(SystemCallFailure) -> EntryMark? {
        guard let status = try status(of: name) else { return nil }
        return EntryMark(
            number: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            modifiedNanoseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec),
            changedNanoseconds: Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec),
            kind: Self.kind(ofMode: status.st_mode))
    }

    private func status(of name: String) throws(SystemCallFailure) -> stat? {
        var status = stat()
        if unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { return status }
        guard errno == ENOENT else { throw .last("fstatat") }
        return nil
    }

    /// True if other machines or a program may change the folder without inotify reporting it.
    package var isRemote: Bool { lk_file_system_is_remote(number) != 0 }

    // MARK: Listing

    /// The entries of the folder but `.` and `..`, in the order of the file system.
    ///
    /// - Parameter limit: the greatest number of entries that are looked at.
    package func entries(limit: Int) throws(SystemCallFailure) -> FolderListing {
        // A stream of its own: one that shared this descriptor would share its position.
        let opened = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .last("openat") }
        guard let stream = unsafe fdopendir(opened) else {
            let failure = SystemCallFailure.last("fdopendir")
            close(opened)
            throw failure
        }
        defer { unsafe closedir(stream) }
        var listing = FolderListing()
        while true {
            // Null is the end and a failure.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            guard listing.entries.count < limit else {
                listing.isComplete = false
                return listing
            }
            let kind = unsafe try kind(ofType: Int32(entry.pointee.d_type), name)
            listing.entries.append(.init(name: name, kind: kind))
        }
        guard errno == 0 else { throw .last("readdir") }
        return listing
    }

    private func kind(ofType type: Int32, _ name: String) throws(SystemCallFailure) -> FolderListing.Kind {
        // DT_UNKNOWN, DT_DIR and DT_REG: Swift sees them as parts of an anonymous enumeration.
        switch type {
        case 0: try status(of: name).map { Self.kind(ofMode: $0.st_mode) } ?? .other
        case 4: .folder
        case 8: .file
        default: .other
        }
    }

    static func kind(ofMode mode: UInt32) -> FolderListing.Kind {
        switch mode & S_IFMT {
        case S_IFREG: .file
        case S_IFDIR: .folder
        default: .other
        }
    }

    // MARK: Names

    /// Removes a file. Returns false if there is none of that name.
    @discardableResult
    package func remove(_ name: String) throws(SystemCallFailure) -> Bool {
        if unsafe unlinkat(number, name, 0) == 0 { return true }
        guard errno == ENOENT else { throw .last("unlinkat") }
        return false
    }

    /// Removes a folder if it is empty.
    package func removeFolderIfEmpty(_ name: String) {
        _ = unsafe unlinkat(number, name, AT_REMOVEDIR)
    }

    /// Moves a file to another folder, in place of a file of that name.
    package func move(
        _ name: String, inPlaceOf other: String, in folder: OpenFolder
    ) throws(SystemCallFailure) {
        guard unsafe renameat(number, name, folder.number, other) == 0 else { throw .last("renameat") }
    }

    /// Moves a file to a name that is not in use. Returns false, and leaves the file, if it is.
    package func move(
        _ name: String, toNewName other: String, in folder: OpenFolder
    ) throws(SystemCallFailure) -> Bool {
        let flagNoReplace: UInt32 = 1
        let outcome = unsafe lk_file_move_entry(number, name, folder.number, other, flagNoReplace)
        switch -outcome {
        case 0: return true
        case EEXIST: return false
        case EINVAL, ENOSYS, EOPNOTSUPP: return try linkAndUnlink(name, other, in: folder)
        case let error: throw SystemCallFailure("renameat2", error)
        }
    }

    /// The same for file systems without such a move: a second name, which is refused if the file exists, and then the first is removed.
    private func linkAndUnlink(
        _ name: String, _ other: String, in folder: OpenFolder
    ) throws(SystemCallFailure) -> Bool {
        if unsafe linkat(number, name, folder.number, other, 0) == 0 {
            _ = unsafe unlinkat(number, name, 0)
            return true
        }
        switch errno {
        case EEXIST: return false
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL:
            // Neither links nor moves that refuse: of two writers of one name at the same instant, the later one wins.
            guard try folder.status(of: other) == nil else { return false }
            try move(name, inPlaceOf: other, in: folder)
            return true
        default: throw .last("linkat")
        }
    }

    /// Makes changes of names durable.
    package func synchronize() throws(SystemCallFailure) {
        // File systems that synchronize no folders say so with EINVAL.
        guard fsync(number) != 0, errno != EINVAL else { return }
        throw .last("fsync")
    }
}
