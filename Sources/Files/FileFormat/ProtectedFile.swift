package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// One protected file that is open: random access to content that is sealed in a ``Backing``.
///
/// Changes are written to free parts of the backing and take effect, all at once, with the next ``synchronize(_:)``
/// or ``flush()``. A file that is closed or lost without either is as it was. The owner uses a file under one lock:
/// neither the file nor its backing is `Sendable`, and no other opening may write the same backing at the same
/// time.
///
/// All methods throw ``FileFailure/closed`` after ``close()``, and ``FileFailure/backing(_:)`` if the backing fails.
package final class ProtectedFile {
    /// The amount of memory that an open file may take.
    package struct MemoryLimit: Sendable {
        /// Blocks of 4 KiB of which a part was accessed; changed ones are written out when there are more.
        package var blocks = 64
        /// The same of a log (``ProtectedFile/isLog``), whose frames are read and overwritten in any order. SQLite copies them to the
        /// database when there are 4 MiB.
        package var logBlocks = 1024
        /// Nodes of the tree, 4 KiB each; one for 340 KiB of content that was used lately.
        package var nodes = 256

        package init() {}
    }

    package enum Access: Sendable {
        case readOnly, readWrite
    }

    private var opened: OpenedFile?

    private init(_ opened: OpenedFile) {
        self.opened = opened
    }

    /// Makes a new, empty file: one write, which is not yet durable.
    ///
    /// - Parameters:
    ///   - backing: empty; ``FileFailure/notEmpty`` otherwise.
    ///   - fileKey: 32 random bytes that encrypt no other file.
    ///   - identifier: 16 random bytes; nil to have them made. The caller makes them if the wrapped key depends on them.
    ///   - wrappedKey: that key as the caller can unwrap it, at most 1024 bytes. It is stored as it is.
    package static func create(
        in backing: any Backing, identifier: [UInt8]? = nil, fileKey: SecretBox, protectionClass: UInt8,
        wrappedKey: [UInt8], limit: MemoryLimit = MemoryLimit(), entropy: any Entropy = SystemEntropy()
    ) throws(FileFailure) -> ProtectedFile {
        let unwritten = try UnwrittenFile(
            identifier: identifier, fileKey: fileKey, protectionClass: protectionClass, wrappedKey: wrappedKey,
            entropy: entropy)
        return try create(unwritten, in: backing, limit: limit)
    }

    /// Makes a new, empty file of what was prepared for it.
    package static func create(
        _ unwritten: UnwrittenFile, in backing: any Backing, limit: MemoryLimit = MemoryLimit()
    ) throws(FileFailure) -> ProtectedFile {
        ProtectedFile(try OpenedFile.create(unwritten, in: backing, limit: limit))
    }

    /// Opens a file, as the last synchronized state or the one that was being written then.
    ///
    /// For writing, an interrupted change of class is completed, and a damaged header copy replaced. Damaged content
    /// does not prevent opening; it is reported when it is read.
    ///
    /// - Throws: ``FileFailure/notProtectedFile``, ``FileFailure/newerVersion(_:)``, ``FileFailure/notAuthentic``,
    ///   ``FileFailure/headersDisagree``.
    package static func open(
        _ backing: any Backing, fileKey: SecretBox, access: Access = .readWrite, limit: MemoryLimit = MemoryLimit(),
        entropy: any Entropy = SystemEntropy()
    ) throws(FileFailure) -> ProtectedFile {
        ProtectedFile(
            try OpenedFile.open(backing, fileKey: fileKey, access: access, limit: limit, entropy: entropy))
    }

    /// The length in bytes, with changes that are not synchronized.
    package var size: UInt64 { get throws(FileFailure) { try file.length } }

    package var protectionClass: UInt8 { get throws(FileFailure) { try file.header.protectionClass } }
    package var wrappedKey: [UInt8] { get throws(FileFailure) { try file.header.wrappedKey } }
    /// 16 random bytes, the same as long as the file exists.
    package var identifier: [UInt8] { get throws(FileFailure) { try file.header.identifier } }
    /// The database that the file belongs to; nil if it belongs to none.
    package var tie: FileTie? { get throws(FileFailure) { try file.header.tie } }

    /// True for a file that is overwritten again and again from its start on, in small parts. A block of which a part is written is then read when
    /// its rest is needed: for one that is overwritten whole, never. Damage in such a rest shows at that time, at the latest when the block is to be
    /// stored: until the rest is overwritten, too, no change is. Does nothing after ``close()``.
    package var isLog: Bool {
        get { opened?.isLog ?? false }
        set { opened?.isLog = newValue }
    }

    /// Reads up to the end of the file and returns the number of bytes; 0 at the end and beyond.
    ///
    /// - Throws: ``FileFailure/damaged(_:)``; the buffer's content is then undefined, without altered content.
    package func read(
        at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer
    ) throws(FileFailure) -> Int {
        try unsafe file.read(at: offset, into: bytes)
    }

    /// Writes all bytes, beyond the end too: what lies between reads as zeros and takes no space.
    ///
    /// - Throws: ``FileFailure/readOnly``, ``FileFailure/unsettled``, ``FileFailure/tooLarge``, and
    ///   ``FileFailure/damaged(_:)`` for a damaged block of which only a part is written. After a failure each block is
    ///   as before or as written, and ``size`` covers those that were written.
    package func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(FileFailure) {
        try unsafe file.write(at: offset, from: bytes)
    }

    /// Cuts or extends the file; new bytes are zeros and take no space. A failure changes nothing.
    package func truncate(to length: UInt64) throws(FileFailure) {
        try file.truncate(to: length)
    }

    /// Makes the content durable. When it returns, the next opening finds this state or a later one.
    ///
    /// - Throws: ``FileFailure/unsettled`` after a failed attempt: the state on disk is then unknown until the file is
    ///   opened again. A full disk (``BackingFailure/noSpace``) may be reported earlier; such a file stays usable.
    package func synchronize(_ scope: SyncScope) throws(FileFailure) {
        try file.synchronize(scope)
    }

    /// Writes everything out without waiting for the disk: the next opening finds this state, unless power fails first.
    /// Then it finds the last synchronized one or, in a file that never was synchronized, possibly damage.
    package func flush() throws(FileFailure) {
        try file.flush()
    }

    /// Stores another class and the same file key wrapped in another way. When it returns, both are durable with all
    /// content, and the former wrapped key is in no place of the backing.
    package func changeProtection(to protectionClass: UInt8, wrappedKey: [UInt8]) throws(FileFailure) {
        try file.changeProtection(to: protectionClass, wrappedKey: wrappedKey)
    }

    /// Stores another tie. When it returns, it is durable with all content, and the former one is in no header copy.
    package func setTie(_ tie: FileTie?) throws(FileFailure) {
        try file.setTie(tie)
    }

    /// Reads and verifies everything that is stored.
    ///
    /// - Parameter proceed: is told the number of bytes that were read since the last time; ``FileFailure/closed`` is thrown
    ///   if it returns false.
    package func check(proceed: (Int) -> Bool = { _ in true }) throws(FileFailure) -> FileCheck {
        try file.check(proceed: proceed)
    }

    /// Wipes all keys and all content in memory at once. Changes since the last ``synchronize(_:)`` or ``flush()`` are
    /// dropped. Closing twice is allowed.
    package func close() {
        opened = nil
    }

    private var file: OpenedFile {
        get throws(FileFailure) {
            guard let opened else { throw .closed }
            return opened
        }
    }
}
