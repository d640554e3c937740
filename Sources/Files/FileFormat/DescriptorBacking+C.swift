internal import Glibc

/// A backing in a regular file, through a descriptor that stays the caller's: it is not closed here.
package final class DescriptorBacking: Backing {
    private let descriptor: CInt
    /// True for a descriptor with `O_APPEND`: it writes at the end, whatever the offset.
    private let appends: Bool

    /// - Parameter descriptor: without `O_APPEND`; all writes fail with `EINVAL` otherwise.
    package init(descriptor: CInt) {
        self.descriptor = descriptor
        let flags = fcntl(descriptor, F_GETFL)
        appends = flags >= 0 && flags & O_APPEND != 0
    }

    package func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(BackingFailure) -> Int {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, try Self.position(offset, done))
            if count == 0 { break }
            if count > 0 { done += count } else { try Self.check(errno) }
        }
        return done
    }

    package func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(BackingFailure) {
        guard !appends else { throw .system(EINVAL) }
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pwrite(descriptor, rest.baseAddress, rest.count, try Self.position(offset, done))
            guard count != 0 else { throw .system(EIO) }
            if count > 0 { done += count } else { try Self.check(errno) }
        }
    }

    package func truncate(to size: UInt64) throws(BackingFailure) {
        let size = try Self.position(size, 0)
        while ftruncate(descriptor, size) != 0 { try Self.check(errno) }
    }

    package func synchronize(_ scope: SyncScope) throws(BackingFailure) {
        // Not repeated after EINTR: a second call may succeed although the first lost pages.
        let result = scope == .data ? fdatasync(descriptor) : fsync(descriptor)
        guard result == 0 else { throw Self.failure(errno) }
    }

    package func size() throws(BackingFailure) -> UInt64 {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure(errno) }
        return UInt64(max(0, status.st_size))
    }

    private static func position(_ offset: UInt64, _ done: Int) throws(BackingFailure) -> off_t {
        guard let start = off_t(exactly: offset), start <= off_t.max - off_t(done) else { throw .noSpace }
        return start + off_t(done)
    }

    /// Returns if the call is to be repeated.
    private static func check(_ number: CInt) throws(BackingFailure) {
        guard number == EINTR else { throw failure(number) }
    }

    private static func failure(_ number: CInt) -> BackingFailure {
        switch number {
        case ENOSPC, EDQUOT, EFBIG: .noSpace
        case EROFS, EBADF, EPERM: .readOnly
        default: .system(number)
        }
    }
}
