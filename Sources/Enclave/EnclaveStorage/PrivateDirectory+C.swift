import Glibc
import LatchkeySecretMemory

/// The directory of a root of trust in files: of one user, mode 0700, with files of mode 0600.
struct PrivateDirectory: Sendable {
    let path: String
    private let descriptor: OwnedDescriptor
    private let testOnlyAtPoint: CrashPointHook?

    /// Opens the directory, or makes it if it does not exist. Its parent must exist.
    init(path: String, testOnlyAtPoint: CrashPointHook?) throws(StorageFailure) {
        self.path = path
        self.testOnlyAtPoint = testOnlyAtPoint
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw .system("make the directory", path: path) }
        let opened = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else {
            let number = errno
            throw number == ELOOP || number == ENOTDIR
                ? .wrongKind(path: path) : .system("open", path: path, errorNumber: number)
        }
        descriptor = OwnedDescriptor(opened)
        try Self.checkOwner(of: opened, path: path, mode: "700")
    }

    func path(of file: StorageFile) -> String { path + "/" + file.rawValue }

    /// Reads a file into memory that will be wiped; returns nil if the file does not exist.
    func read(_ file: StorageFile) throws(StorageFailure) -> SecretBox? {
        guard let opened = try openExisting(file, flags: O_RDONLY) else { return nil }
        var status = stat()
        guard unsafe fstat(opened.number, &status) == 0 else { throw .system("examine", path: path(of: file)) }
        guard status.st_size <= file.byteCountLimit else {
            throw .damaged(path: path(of: file), what: "it is too long for such a file")
        }
        return unsafe try SecretBox(count: Int(status.st_size)) { content throws(StorageFailure) in
            var done = 0
            while done < content.count {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: content[done...])
                let count = unsafe Glibc.read(opened.number, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw .system("read", path: path(of: file)) }
                guard count > 0 else { throw .damaged(path: path(of: file), what: "it shrank while it was read") }
                done += count
            }
        }
    }

    /// Replaces the content of a file. After a crash the file has the old or the new content. Durable on return.
    /// - Parameter overwritingFormer: also writes zeros over the old content, as far as the medium allows.
    func replace(
        _ file: StorageFile, with content: SecretBox, overwritingFormer: Bool = false
    ) throws(StorageFailure) {
        let former = overwritingFormer ? try openExisting(file, flags: O_RDWR) : nil
        try pass(file, .begin)
        let temporary = unsafe openat(
            descriptor.number, file.temporaryName, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard temporary >= 0 else { throw .system("make", path: path + "/" + file.temporaryName) }
        do throws(StorageFailure) {
            try fill(OwnedDescriptor(temporary), file, with: content)
            guard unsafe renameat(descriptor.number, file.temporaryName, descriptor.number, file.rawValue) == 0 else {
                throw .system("replace", path: path(of: file))
            }
        } catch {
            unsafe unlinkat(descriptor.number, file.temporaryName, 0)
            throw error
        }
        try pass(file, .renamed)
        guard fsync(descriptor.number) == 0 else { throw .system("make durable", path: path) }
        try pass(file, .directorySynced)
        guard let former else { return }
        overwrite(former, file)
        try pass(file, .formerOverwritten)
    }

    /// Removes a file if it exists. Durable on return.
    func remove(_ file: StorageFile) throws(StorageFailure) {
        guard generation(of: file) != nil else { return }
        try pass(file, .begin)
        guard unsafe unlinkat(descriptor.number, file.rawValue, 0) == 0 || errno == ENOENT else {
            throw .system("remove", path: path(of: file))
        }
        try pass(file, .removed)
        guard fsync(descriptor.number) == 0 else { throw .system("make durable", path: path) }
        try pass(file, .directorySynced)
    }

    /// Returns nil if the file does not exist.
    func generation(of file: StorageFile) -> StorageGeneration? {
        var status = stat()
        guard unsafe fstatat(descriptor.number, file.rawValue, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return StorageGeneration(
            inode: UInt64(status.st_ino), byteCount: Int64(status.st_size),
            changedAt: [
                status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
            ])
    }

    /// Waits until no other process holds the lock. Blocks.
    func lock() throws(StorageFailure) -> DirectoryLock {
        let opened = unsafe openat(
            descriptor.number, StorageFile.lock.rawValue, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw .system("open", path: path(of: .lock)) }
        let lock = DirectoryLock(OwnedDescriptor(opened))
        while flock(opened, LOCK_EX) != 0 {
            guard errno == EINTR else { throw .system("lock", path: path(of: .lock)) }
        }
        return lock
    }

    private func fill(
        _ temporary: OwnedDescriptor, _ file: StorageFile, with content: SecretBox
    ) throws(StorageFailure) {
        try pass(file, .temporaryMade)
        let name = path + "/" + file.temporaryName
        // Opening a file that remains from a crash does not change its mode.
        guard fchmod(temporary.number, 0o600) == 0 else { throw .system("protect", path: name) }
        try unsafe content.withBytes { bytes throws(StorageFailure) in
            try unsafe Self.write(bytes, to: temporary, path: name)
        }
        try pass(file, .temporaryWritten)
        guard fsync(temporary.number) == 0 else { throw .system("make durable", path: name) }
        try pass(file, .temporarySynced)
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to file: OwnedDescriptor, path: String
    ) throws(StorageFailure) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe Glibc.write(file.number, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system("write", path: path) }
            done += count
        }
    }

    private func openExisting(_ file: StorageFile, flags: Int32) throws(StorageFailure) -> OwnedDescriptor? {
        let mode = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        let opened: Int32 = unsafe openat(descriptor.number, file.rawValue, mode)
        guard opened >= 0 else {
            if errno == ENOENT { return nil }
            if errno == ELOOP { throw .wrongKind(path: path(of: file)) }
            throw .system("open", path: path(of: file))
        }
        let owned = OwnedDescriptor(opened)
        try Self.checkOwner(of: opened, path: path(of: file), mode: "600")
        return owned
    }

    /// Overwrites with best effort: file systems that copy on write, and flash, may keep the old bytes elsewhere.
    private func overwrite(_ former: OwnedDescriptor, _ file: StorageFile) {
        var status = stat()
        guard unsafe fstat(former.number, &status) == 0, status.st_size > 0 else { return }
        let zeros = [UInt8](repeating: 0, count: min(status.st_size, file.byteCountLimit))
        _ = unsafe pwrite(former.number, zeros, zeros.count, 0)
        _ = fsync(former.number)
    }

    private func pass(_ file: StorageFile, _ step: CrashPoint.Step) throws(StorageFailure) {
        guard let number = testOnlyAtPoint?(CrashPoint(file: file, step: step)) else { return }
        throw .system("write", path: path(of: file), errorNumber: number)
    }

    private static func checkOwner(of descriptor: Int32, path: String, mode: String) throws(StorageFailure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .system("examine", path: path) }
        let kind = status.st_mode & S_IFMT
        guard kind == (mode == "700" ? S_IFDIR : S_IFREG) else { throw .wrongKind(path: path) }
        guard status.st_uid == geteuid() else {
            throw .unsafePermissions(
                path: path, found: "belongs to user \(status.st_uid), not to user \(geteuid())",
                mend: "chown \(geteuid()) '\(path)'")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .unsafePermissions(
                path: path, found: "has mode \(String(status.st_mode & 0o7777, radix: 8))",
                mend: "chmod \(mode) '\(path)'")
        }
    }
}

/// A file descriptor that is closed with its owner.
final class OwnedDescriptor: Sendable {
    let number: Int32

    init(_ number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }
}

/// The lock of a directory, held by this process until it is released.
final class DirectoryLock: StorageLock {
    private let descriptor: OwnedDescriptor

    init(_ descriptor: OwnedDescriptor) {
        self.descriptor = descriptor
    }

    func release() {
        _ = flock(descriptor.number, LOCK_UN)
    }
}

extension StorageFailure {
    static func system(_ what: String, path: String, errorNumber: Int32 = errno) -> StorageFailure {
        unsafe .cannot(what, path: path, reason: String(cString: strerror(errorNumber)), errorNumber: errorNumber)
    }
}
