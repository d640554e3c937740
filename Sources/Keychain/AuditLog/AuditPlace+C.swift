import Glibc

/// The directory of the log: its files, and the lock that its writers and readers share across processes.
struct AuditPlace: Sendable {
    static let current = "audit"
    static let former = "audit.1"
    /// The next file while it is being made. Its first record is in it before it replaces ``current``.
    static let next = "audit.new"
    private static let asidePrefix = "audit.broken-"
    /// The limit of bytes that are read. A log is never longer.
    static let readLimit = 64 << 20

    let directory: String

    func path(_ name: String) -> String { directory + "/" + name }

    /// Runs `body` while no other process uses the log, or while only readers use it. Blocks.
    func locked<R>(exclusively: Bool, _ body: () -> R) -> Result<R, AuditReadFailure> {
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(.unreadable(path: directory, errno: errno)) }
        // Closing releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, exclusively ? LOCK_EX : LOCK_SH) != 0 {
            guard errno == EINTR else { return .failure(.unreadable(path: directory, errno: errno)) }
        }
        return .success(body())
    }

    /// Returns the content of a file; empty if the file does not exist.
    func content(_ name: String) throws(AuditReadFailure) -> [UInt8] {
        let descriptor = unsafe open(path(name), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return [] }
            throw .unreadable(path: path(name), errno: errno)
        }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size >= 0, size <= Self.readLimit else { throw .tooLarge(path: path(name), byteCount: size) }
        var bytes = [UInt8](repeating: 0, count: size)
        var filled = 0
        while filled < size {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe pread(
                    descriptor, buffer.baseAddress?.advanced(by: filled), size - filled, off_t(filled))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .unreadable(path: path(name), errno: count < 0 ? errno : EIO) }
            filled += count
        }
        return bytes
    }

    func exists(_ name: String) -> Bool { unsafe access(path(name), F_OK) == 0 }

    /// Returns the file's identity and size; nil if it does not exist.
    func stamp(_ name: String) -> Stamp? {
        var information = stat()
        guard unsafe lstat(path(name), &information) == 0 else { return nil }
        return Stamp(
            device: UInt64(information.st_dev), inode: UInt64(information.st_ino), byteCount: Int(information.st_size))
    }

    struct Stamp: Sendable, Hashable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int
    }

    /// Appends all bytes to a file, or none of them.
    /// - Parameter durably: if true, the bytes are on disk when the function returns.
    func append(_ bytes: [UInt8], to name: String, durably: Bool) -> Bool {
        let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let descriptor = unsafe open(path(name), flags, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let start = lseek(descriptor, 0, SEEK_END)
        guard start >= 0 else { return false }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                ftruncate(descriptor, start)
                return false
            }
            written += count
        }
        return !durably || fsync(descriptor) == 0
    }

    func cut(_ name: String, to byteCount: Int) -> Bool { unsafe truncate(path(name), off_t(byteCount)) == 0 }

    func remove(_ name: String) { unsafe unlink(path(name)) }

    func rename(_ name: String, to other: String) -> Bool { unsafe Glibc.rename(path(name), path(other)) == 0 }

    /// Renames a broken file and returns the new name; nil if it cannot be renamed.
    func setAside(_ name: String) -> String? {
        for number in 1..<10_000 where !exists(Self.asidePrefix + String(number)) {
            let aside = Self.asidePrefix + String(number)
            return rename(name, to: aside) ? aside : nil
        }
        return nil
    }

    /// The broken files that were set aside, in order.
    func asideFiles() -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var numbers: [Int] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(Self.asidePrefix), let number = Int(name.dropFirst(Self.asidePrefix.count)) {
                numbers.append(number)
            }
        }
        return numbers.sorted().map { Self.asidePrefix + String($0) }
    }
}
