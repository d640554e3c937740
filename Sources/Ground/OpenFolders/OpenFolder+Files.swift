import Glibc

extension OpenFolder {
    /// Reads a whole regular file. The size is checked before any memory is reserved.
    package func content(of name: String, limit: Int) throws(SystemCallFailure) -> FileContent {
        // Looked at before it is opened: opening a device can have effects of its own.
        guard let mark = try mark(of: name) else { return .missing }
        guard mark.kind == .file, mark.byteCount <= Int64(limit) else { return .unsuitable }
        let file = unsafe openat(number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            switch errno {
            case ENOENT: return .missing
            case ELOOP: return .unsuitable
            default: throw .last("openat")
            }
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw .last("fstat") }
        guard Self.kind(ofMode: status.st_mode) == .file, status.st_size <= limit else { return .unsuitable }
        // One byte more: a file that has grown meanwhile is found out.
        return try Self.read(file, atMost: Int(status.st_size) + 1, limit: limit)
    }

    private static func read(
        _ file: Int32, atMost count: Int, limit: Int
    ) throws(SystemCallFailure) -> FileContent {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let read = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe Glibc.read(file, buffer.baseAddress?.advanced(by: done), count - done)
            }
            if read < 0, errno == EINTR { continue }
            guard read >= 0 else { throw .last("read") }
            if read == 0 { break }
            done += read
        }
        // A file that is being written is whole at the next reading, or never.
        guard done < count, done <= limit else { return .unsuitable }
        bytes.removeLast(count - done)
        return .bytes(bytes)
    }

    /// Makes a file with this content under a name that is not in use, durable but for its name.
    ///
    /// - Parameter permissions: whatever the file mode creation mask is.
    package func makeFile(
        _ name: String, _ bytes: [UInt8], permissions: UInt32
    ) throws(SystemCallFailure) {
        let file = unsafe openat(number, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .last("openat") }
        defer { close(file) }
        do throws(SystemCallFailure) {
            // File systems without permissions refuse it.
            if permissions != 0o600 { _ = fchmod(file, permissions) }
            try Self.write(bytes, to: file)
            guard fdatasync(file) == 0 else { throw .last("fdatasync") }
        } catch {
            _ = unsafe unlinkat(number, name, 0)
            throw error
        }
    }

    private static func write(_ bytes: [UInt8], to file: Int32) throws(SystemCallFailure) {
        var done = 0
        while done < bytes.count {
            let written = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(file, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(done))
            }
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw .last("pwrite") }
            guard written > 0 else { throw SystemCallFailure("pwrite", ENOSPC) }
            done += written
        }
    }
}
