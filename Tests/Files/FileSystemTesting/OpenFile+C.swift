import CLatchkeyFileSystemCalls
import Glibc

/// An open file or directory; closed with the last reference at the latest.
package final class OpenFile: @unchecked Sendable {
    // Sendable because the descriptor changes only in `close`, which the one owner of the file calls last.
    package private(set) var descriptor: Int32
    private let name: String

    package static var unnamed: Int32 { lkfs_O_TMPFILE }
    package static var pathOnly: Int32 { lkfs_O_PATH }

    /// - Parameter flags: those of `open`; `O_CLOEXEC` is added.
    package init(_ path: Path, _ flags: Int32, mode: UInt32 = 0o644) throws(CallFailure) {
        name = path.description
        descriptor = try Int32(checked(path.withC { lkfs_open($0, flags, mode) }, "open \(path) (flags \(flags))"))
    }

    /// Takes over a descriptor.
    init(owning descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
    }

    deinit {
        if descriptor >= 0 { _ = lkfs_close(descriptor) }
    }

    /// Closes the file and says what the file system answered. Locks and files without a name last until here.
    package func close() throws(CallFailure) {
        let closed = descriptor
        descriptor = -1
        try checked(lkfs_close(closed), "close \(name)")
    }

    /// Opens a path below this directory.
    package func open(_ path: Path, _ flags: Int32, mode: UInt32 = 0o644) throws(CallFailure) -> OpenFile {
        let opened = try checked(path.withC { lkfs_open_at(descriptor, $0, flags, mode) }, "openat \(path)")
        return OpenFile(owning: Int32(opened), name: path.description)
    }

    // MARK: - Bytes

    /// Reads up to the end of the file.
    package func read(_ count: Int, at offset: Int64 = 0) throws(CallFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try checked(lkfs_read(descriptor, &bytes, count, offset), "pread \(name) \(count) at \(offset)")
        bytes.removeLast(count - read)
        return bytes
    }

    /// One `read` from the file's own offset.
    package func readOn(_ count: Int) throws(CallFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = try checked(lkfs_read_on(descriptor, &bytes, count), "read \(name)")
        bytes.removeLast(count - read)
        return bytes
    }

    package func write(_ bytes: [UInt8], at offset: Int64) throws(CallFailure) {
        try checked(lkfs_write(descriptor, bytes, bytes.count, offset), "pwrite \(name) \(bytes.count) at \(offset)")
    }

    /// One `write` at the file's own offset; how many bytes it took.
    @discardableResult
    package func writeOn(_ bytes: [UInt8]) throws(CallFailure) -> Int {
        try checked(lkfs_write_on(descriptor, bytes, bytes.count), "write \(name)")
    }

    package func contents() throws(CallFailure) -> [UInt8] {
        // One byte more than the size that it says: a file that goes on after its end is found.
        try read(Int(status().size) + 1)
    }

    @discardableResult
    package func seek(_ offset: Int64, _ whence: Int32 = SEEK_SET) throws(CallFailure) -> Int64 {
        try Int64(checked(lkfs_seek(descriptor, offset, whence), "lseek \(name) \(offset), \(whence)"))
    }

    package func seekData(_ offset: Int64) throws(CallFailure) -> Int64 { try seek(offset, lkfs_SEEK_DATA) }
    package func seekHole(_ offset: Int64) throws(CallFailure) -> Int64 { try seek(offset, lkfs_SEEK_HOLE) }

    package func truncate(_ size: Int64) throws(CallFailure) {
        try checked(lkfs_ftruncate(descriptor, size), "ftruncate \(name) \(size)")
    }

    package func synchronize() throws(CallFailure) { try checked(lkfs_fsync(descriptor), "fsync \(name)") }
    package func synchronizeData() throws(CallFailure) { try checked(lkfs_fdatasync(descriptor), "fdatasync \(name)") }

    /// Has the kernel drop the file's pages from its cache: the next read comes from the file system.
    package func dropPages() throws(CallFailure) { try checked(lkfs_drop_pages(descriptor), "posix_fadvise \(name)") }

    /// A change of a range by `fallocate`.
    package enum Allocation: Sendable {
        case extending, keepingSize, punchingHole, zeroing, collapsing

        fileprivate var mode: Int32 {
            switch self {
            case .extending: 0
            case .keepingSize: lkfs_KEEP_SIZE
            case .punchingHole: lkfs_PUNCH_HOLE | lkfs_KEEP_SIZE
            case .zeroing: lkfs_ZERO_RANGE
            case .collapsing: lkfs_COLLAPSE_RANGE
            }
        }
    }

    package func allocate(_ allocation: Allocation, _ offset: Int64, _ count: Int64) throws(CallFailure) {
        try checked(
            lkfs_fallocate(descriptor, allocation.mode, offset, count), "fallocate \(allocation) \(name) at \(offset)")
    }

    /// `copy_file_range` from another file: how many bytes it copied.
    package func copy(
        _ count: Int, from other: OpenFile, _ offset: Int64, to ownOffset: Int64
    ) throws(CallFailure) -> Int {
        try checked(
            lkfs_copy_range(other.descriptor, offset, descriptor, ownOffset, count), "copy_file_range to \(name)")
    }

    /// `sendfile` into this file: how many bytes it copied.
    package func send(_ count: Int, from other: OpenFile, _ offset: Int64) throws(CallFailure) -> Int {
        try checked(lkfs_sendfile(descriptor, other.descriptor, offset, count), "sendfile to \(name)")
    }

    // MARK: - What belongs to the file

    package func status() throws(CallFailure) -> Status {
        var status = lkfs_status()
        try checked(lkfs_descriptor_status(descriptor, &status), "fstat \(name)")
        return Status(status)
    }

    package func changeMode(_ mode: UInt32) throws(CallFailure) {
        try checked(lkfs_fchmod(descriptor, mode), "fchmod \(name)")
    }

    package func setTimes(accessed: Int64, modified: Int64) throws(CallFailure) {
        try checked(lkfs_set_descriptor_times(descriptor, accessed, modified), "futimens \(name)")
    }

    /// Names a file that was opened with ``unnamed``.
    package func link(as path: Path) throws(CallFailure) {
        try checked(path.withC { lkfs_link_descriptor(descriptor, $0) }, "linkat \(path)")
    }

    /// `flock` without waiting.
    package func lock(_ operation: Int32) throws(CallFailure) {
        try checked(lkfs_flock(descriptor, operation), "flock \(name)")
    }

    /// A range for a lock of `fcntl`.
    package enum RangeLock: Sendable {
        case none, shared, exclusive

        fileprivate var value: lkfs_lock {
            switch self {
            case .none: LKFS_UNLOCK
            case .shared: LKFS_SHARED
            case .exclusive: LKFS_EXCLUSIVE
            }
        }
    }

    /// Locks a range for this process without waiting.
    package func lockRange(_ lock: RangeLock, _ offset: Int64, _ count: Int64) throws(CallFailure) {
        try checked(lkfs_lock(descriptor, lock.value, offset, count), "fcntl lock \(name)")
    }

    /// The process whose lock prevents an exclusive one; 0 if no lock does.
    package func lockHolder(_ offset: Int64, _ count: Int64) throws(CallFailure) -> Int32 {
        try Int32(checked(lkfs_lock_holder(descriptor, offset, count), "fcntl get lock \(name)"))
    }

    /// Maps a range, lends it to `body`, and unmaps it.
    package func withMap<Value>(
        _ offset: Int64, _ count: Int, shared: Bool = true, synchronizing: Bool = false,
        _ body: (UnsafeMutableRawBufferPointer) throws -> Value
    ) throws -> Value {
        var memory: UnsafeMutableRawPointer?
        try checked(lkfs_map(descriptor, offset, count, shared ? 1 : 0, &memory), "mmap \(name)")
        defer { _ = lkfs_unmap(memory, count) }
        let value = try body(UnsafeMutableRawBufferPointer(start: memory, count: count))
        if synchronizing { try checked(lkfs_sync_map(memory, count), "msync \(name)") }
        return value
    }
}
