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
    func open(_ name: BackingName, _ flags: Int32, permissions: UInt32 = 0) throws(VolumeFailure) -> OwnedDescriptor {
        let flags = flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let opened = unsafe openat(number, name.characters, flags, permissions)
        guard opened >= 0 else { throw .ofLastCall }
        return OwnedDescriptor(owning: opened)
    }

    func directory(_ name: BackingName) throws(VolumeFailure) -> BackingDirectory {
        BackingDirectory(try open(name, O_RDONLY | O_DIRECTORY))
    }

    func status(of name: BackingName) throws(VolumeFailure) -> stat {
        var status = stat()
        guard unsafe fstatat(number, name.characters, &status, AT_SYMLINK_NOFOLLOW) == 0 else { throw .ofLastCall }
        return status
    }

    func makeDirectory(_ name: BackingName, permissions: UInt32) throws(VolumeFailure) {
        try check(unsafe mkdirat(number, name.characters, permissions))
    }

    /// Makes a pipe, a socket or a device.
    func makeSpecial(_ name: BackingName, mode: UInt32, device: UInt64) throws(VolumeFailure) {
        try check(unsafe mknodat(number, name.characters, mode, dev_t(device)))
    }

    func makeLink(_ name: BackingName, to target: [UInt8]) throws(VolumeFailure) {
        try check(unsafe symlinkat(BackingName(target).characters, number, name.characters))
    }

    func target(of name: BackingName) throws(VolumeFailure) -> [UInt8] {
        var target = [UInt8](repeating: 0, count: 4096)
        let count = unsafe target.withUnsafeMutableBytes { buffer in
            unsafe readlinkat(
                number, name.characters, buffer.baseAddress!.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        guard count >= 0 else { throw .ofLastCall }
        return Array(target[..<count])
    }

    func remove(_ name: BackingName) throws(VolumeFailure) {
        try check(unsafe unlinkat(number, name.characters, 0))
    }

    func removeDirectory(_ name: BackingName) throws(VolumeFailure) {
        try check(unsafe unlinkat(number, name.characters, AT_REMOVEDIR))
    }

    /// Removes what an operation that was cut off has left: a file or an empty directory.
    func removeRemnant(_ name: BackingName) throws(VolumeFailure) {
        do throws(VolumeFailure) {
            try remove(name)
        } catch {
            guard error.number == EISDIR else { throw error }
            try removeDirectory(name)
        }
    }

    /// - Parameter flags: of `renameat2`.
    func move(
        _ name: BackingName, to other: BackingDirectory, _ newName: BackingName, flags: UInt32 = 0
    ) throws(VolumeFailure) {
        let outcome = unsafe lk_file_move_entry(number, name.characters, other.number, newName.characters, flags)
        guard outcome == 0 else { throw VolumeFailure(-outcome) }
    }

    /// Gives an entry another name.
    func link(_ name: BackingName, in other: BackingDirectory, _ newName: BackingName) throws(VolumeFailure) {
        try check(unsafe linkat(number, name.characters, other.number, newName.characters, 0))
    }

    /// - Parameter owner: `UInt32.max` leaves the owner as it is, and so the group.
    func setOwner(of name: BackingName, _ owner: UInt32, _ group: UInt32) throws(VolumeFailure) {
        try check(unsafe fchownat(number, name.characters, owner, group, AT_SYMLINK_NOFOLLOW))
    }

    func setPermissions(of name: BackingName, _ permissions: UInt32) throws(VolumeFailure) {
        try check(unsafe fchmodat(number, name.characters, permissions, AT_SYMLINK_NOFOLLOW))
    }

    func setTimes(of name: BackingName, _ times: FileTimes) throws(VolumeFailure) {
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

    /// All entries but `.` and `..`, with their numbers and types as `readdir` says them.
    func entries() throws(VolumeFailure) -> [(name: BackingName, number: UInt64, type: UInt8)] {
        // Not a copy of the descriptor: those share their position.
        let own = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard own >= 0, let stream = unsafe fdopendir(own) else {
            let failure = VolumeFailure.ofLastCall
            if own >= 0 { close(own) }
            throw failure
        }
        defer { unsafe closedir(stream) }
        var entries: [(name: BackingName, number: UInt64, type: UInt8)] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                guard errno == 0 else { throw .ofLastCall }
                return entries
            }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe BackingName(bytes.prefix { $0 != 0 })
            }
            guard name != BackingName("."), name != BackingName("..") else { continue }
            unsafe entries.append((name, UInt64(entry.pointee.d_ino), entry.pointee.d_type))
        }
    }

    /// Writes a whole small file, in place of one that is there.
    func write(_ bytes: [UInt8], to name: BackingName) throws(VolumeFailure) {
        let file = try open(name, O_WRONLY | O_CREAT | O_TRUNC, permissions: 0o600)
        let count = withExtendedLifetime(file) {
            unsafe bytes.withUnsafeBytes { unsafe pwrite(file.number, $0.baseAddress, $0.count, 0) }
        }
        guard count == bytes.count else { throw count < 0 ? .ofLastCall : VolumeFailure(ENOSPC) }
    }

    /// Makes a small file durable.
    func synchronize(_ name: BackingName) throws(VolumeFailure) {
        let file = try open(name, O_RDONLY)
        try check(withExtendedLifetime(file) { fsync(file.number) })
    }

    /// Reads a small file; `EFBIG` for one that is longer.
    func read(_ name: BackingName, limit: Int) throws(VolumeFailure) -> [UInt8] {
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
