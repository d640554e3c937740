import Glibc
import LatchkeyFileAccess

@_implementationOnly import CLatchkeyShims

/// A directory that stores a directory of a volume. All calls name entries below an open descriptor, so that nothing depends
/// on paths.
final class BackingDirectory: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
    }

    /// Opens the directory under a path.
    convenience init(path: String) throws(VolumeFailure) {
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .ofLastCall }
        self.init(OwnedDescriptor(owning: number))
    }

    private var number: Int32 { descriptor.number }

    /// Opens an entry; links are not followed.
    func open(_ name: FileName, _ flags: Int32, permissions: UInt32 = 0) throws(VolumeFailure) -> OwnedDescriptor {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = unsafe openat(number, name.characters, flags, permissions)
        guard opened >= 0 else { throw .ofLastCall }
        return OwnedDescriptor(owning: opened)
    }

    func directory(_ name: FileName) throws(VolumeFailure) -> BackingDirectory {
        BackingDirectory(try open(name, O_RDONLY | O_DIRECTORY))
    }

    func status(of name: FileName) throws(VolumeFailure) -> stat {
        var status = stat()
        guard unsafe fstatat(number, name.characters, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .ofLastCall }
        return status
    }

    func makeDirectory(_ name: FileName, permissions: UInt32) throws(VolumeFailure) {
        try check(unsafe mkdirat(number, name.characters, permissions))
    }

    /// Makes a pipe, a socket or a device.
    func makeSpecial(_ name: FileName, mode: UInt32, device: UInt64) throws(VolumeFailure) {
        try check(unsafe mknodat(number, name.characters, mode, dev_t(device)))
    }

    func makeLink(_ name: FileName, to target: [UInt8]) throws(VolumeFailure) {
        try check(unsafe symlinkat(FileName(target).characters, number, name.characters))
    }

    func target(of name: FileName) throws(VolumeFailure) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = unsafe target.withUnsafeMutableBytes { buffer in
            unsafe readlinkat(
                number, name.characters, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        guard count >= 0 else { throw .ofLastCall }
        return Array(target[..<count])
    }

    func remove(_ name: FileName) throws(VolumeFailure) {
        try check(unsafe unlinkat(number, name.characters, 0))
    }

    func removeDirectory(_ name: FileName) throws(VolumeFailure) {
        try check(unsafe unlinkat(number, name.characters, AT_REMOVEDIR))
    }

    /// Removes what an operation that was cut off has left: a file or an empty directory.
    func removeRemnant(_ name: FileName) throws(VolumeFailure) {
        do throws(VolumeFailure) {
            try remove(name)
        } catch {
            guard error.number == EISDIR else { throw error }
            try removeDirectory(name)
        }
    }

    /// - Parameter flags: of `renameat2`.
    func move(
        _ name: FileName, to other: BackingDirectory, _ newName: FileName, flags: UInt32 = 0
    ) throws(VolumeFailure) {
        let outcome = unsafe lk_file_move_entry(number, name.characters, other.number, newName.characters, flags)
        guard outcome == 0 else { throw VolumeFailure(-outcome) }
    }

    /// Gives an entry another name.
    func link(_ name: FileName, in other: BackingDirectory, _ newName: FileName) throws(VolumeFailure) {
        try check(unsafe linkat(number, name.characters, other.number, newName.characters, 0))
    }

    /// - Parameter owner: `UInt32.max` leaves the owner as it is, and so the group.
    func setOwner(of name: FileName, _ owner: UInt32, _ group: UInt32) throws(VolumeFailure) {
        try check(unsafe fchownat(number, name.characters, owner, group, AT_SYMLINK_NOFOLLOW))
    }

    func setPermissions(of name: FileName, _ permissions: UInt32) throws(VolumeFailure) {
        try check(unsafe fchmodat(number, name.characters, permissions, AT_SYMLINK_NOFOLLOW))
    }

    func setTimes(of name: FileName, _ times: FileTimes) throws(VolumeFailure) {
        try check(unsafe utimensat(number, name.characters, [times.access, times.change], AT_SYMLINK_NOFOLLOW))
    }

    func status() throws(VolumeFailure) -> stat {
        var status = stat()
        try check(unsafe fstat(number, &status))
        return status
    }

    /// Makes the entries durable.
    func synchronize() throws(VolumeFailure) {
        try check(fsync(number))
    }

    /// Makes everything durable that was written to the file system of this directory.
    func synchronizeAll() throws(VolumeFailure) {
        let outcome = lk_file_synchronize_all(number)
        guard outcome == 0 else { throw VolumeFailure(-outcome) }
    }

    /// All entries but `.` and `..`.
    func entries() throws(VolumeFailure) -> [DirectoryEntry] {
        do throws(AccessFailure) {
            return try DirectoryEntry.all(in: number)
        } catch {
            throw VolumeFailure(error)
        }
    }

    /// Writes a whole small file, in place of one that is there.
    func write(_ bytes: [UInt8], to name: FileName) throws(VolumeFailure) {
        let file = try open(name, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600)
        let count = withExtendedLifetime(file) {
            unsafe bytes.withUnsafeBytes { unsafe pwrite(file.number, $0.baseAddress, $0.count, 0) }
        }
        guard count == bytes.count else { throw count < 0 ? .ofLastCall : VolumeFailure(ENOSPC) }
    }

    /// Makes a small file durable.
    func synchronize(_ name: FileName) throws(VolumeFailure) {
        let file = try open(name, O_RDONLY)
        try check(withExtendedLifetime(file) { fsync(file.number) })
    }

    /// Reads a small file; `EFBIG` for one that is longer.
    func read(_ name: FileName, limit: Int) throws(VolumeFailure) -> [UInt8] {
        let file = try open(name, O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        let count = withExtendedLifetime(file) {
            unsafe bytes.withUnsafeMutableBytes { unsafe pread(file.number, $0.baseAddress, $0.count, 0) }
        }
        guard count >= 0 else { throw .ofLastCall }
        guard count <= limit else { throw VolumeFailure(EFBIG) }
        return Array(bytes[..<count])
    }

    private func check(_ result: Int32) throws(VolumeFailure) {
        guard result == 0 else { throw .ofLastCall }
    }
}

/// Extended attributes of open files.
extension OwnedDescriptor {
    /// The value; nil if there is none.
    func attribute(_ name: String) throws(VolumeFailure) -> [UInt8]? {
        // The limit of the kernel.
        var value = [UInt8](repeating: 0, count: 256)
        var count = unsafe lk_attribute_get_open(number, name, &value, value.count)
        if count == -Int(ERANGE) {
            value = [UInt8](repeating: 0, count: 1 << 16)
            count = unsafe lk_attribute_get_open(number, name, &value, value.count)
        }
        if count == -Int(ENODATA) { return nil }
        guard count >= 0 else { throw VolumeFailure(Int32(-count)) }
        return Array(value[..<count])
    }

    func setAttribute(_ name: String, _ value: [UInt8], flags: Int32 = 0) throws(VolumeFailure) {
        let outcome = unsafe lk_attribute_set_open(number, name, value, value.count, flags)
        guard outcome == 0 else { throw VolumeFailure(-outcome) }
    }

    func removeAttribute(_ name: String) throws(VolumeFailure) {
        let outcome = unsafe lk_attribute_remove_open(number, name)
        guard outcome == 0 else { throw VolumeFailure(-outcome) }
    }

    func attributeNames() throws(VolumeFailure) -> [String] {
        var names = [CChar](repeating: 0, count: 1 << 16)
        let count = unsafe lk_attribute_list_open(number, &names, names.count)
        guard count >= 0 else { throw VolumeFailure(Int32(-count)) }
        return names[..<count].split(separator: 0).map { part in
            String(decoding: part.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    func setTimes(_ times: FileTimes) throws(VolumeFailure) {
        guard unsafe futimens(number, [times.access, times.change]) == 0 else { throw .ofLastCall }
    }
}
