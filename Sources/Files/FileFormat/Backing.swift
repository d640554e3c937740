/// The bytes below a protected file: a descriptor, or memory in a test.
///
/// Offsets and sizes are in bytes. A write lasts through a loss of power only after a ``synchronize(_:)`` that
/// succeeded.
package protocol Backing: AnyObject {
    /// Reads until the buffer is full or the backing ends, and returns the number of bytes that were read.
    func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(BackingFailure) -> Int
    /// Writes all bytes, beyond the end too; what lies between reads as zeros.
    func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(BackingFailure)
    /// Cuts or extends to this size.
    func truncate(to size: UInt64) throws(BackingFailure)
    /// Makes everything durable that was written before. After a failure it is unknown which of it is durable.
    func synchronize(_ scope: SyncScope) throws(BackingFailure)
    func size() throws(BackingFailure) -> UInt64
}

/// The amount that a synchronization makes durable.
package enum SyncScope: Sendable, Hashable, CaseIterable {
    /// Content and size: `fdatasync`.
    case data
    /// Content and all metadata: `fsync`.
    case full
}

/// A reason for which a backing did not do what it was asked for.
package enum BackingFailure: Error, Sendable, Hashable {
    /// The disk, or the quota of the user, is full (`ENOSPC`, `EDQUOT`, `EFBIG`).
    case noSpace
    /// The file system or the descriptor allows no writing (`EROFS`, `EBADF`, `EPERM`).
    case readOnly
    /// Another number of `errno`, mostly `EIO`.
    case system(Int32)
}
