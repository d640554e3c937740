import Glibc
import LatchkeyCryptoSuite
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeychainMessages
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// A temporary file of SQLite: sorted rows, temporary tables, journals of statements.
///
/// The file has no name and a key that is only in memory, so its content ends with the process. It does not follow the lock of
/// the device: a statement that runs when the device locks ends at the next access to its database.
final class TemporaryFile {
    private let content: ProtectedFile
    /// Closed after the content.
    private let descriptor: OwnedDescriptor
    /// The process that made it: a child of `fork` does not have the key.
    private let process = ProcessMark.current

    init() throws(AccessFailure) {
        descriptor = try Self.make()
        let key = unsafe SecretBox(count: Self.keyByteCount) { unsafe SystemEntropy().fill($0) }
        do throws(FileFailure) {
            // The class and the wrapped key say how to open a file again, which nothing can do.
            content = try ProtectedFile.create(
                in: DescriptorBacking(descriptor: descriptor.number), fileKey: key, protectionClass: 0, wrappedKey: [])
        } catch {
            throw .file(error)
        }
    }

    func size() throws(AccessFailure) -> UInt64 {
        try lifted { () throws(FileFailure) in try content.size }
    }

    func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        try lifted { () throws(FileFailure) in try unsafe content.read(at: offset, into: bytes) }
    }

    func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        try lifted { () throws(FileFailure) in try unsafe content.write(at: offset, from: bytes) }
    }

    func truncate(to length: UInt64) throws(AccessFailure) {
        try lifted { () throws(FileFailure) in try content.truncate(to: length) }
    }

    private static let keyByteCount = 32

    private func lifted<Value>(_ body: () throws(FileFailure) -> Value) throws(AccessFailure) -> Value {
        guard process == .current else { throw .refused(.ofParent) }
        do throws(FileFailure) {
            return try body()
        } catch {
            throw .file(error)
        }
    }

    /// A file in the first folder of SQLite's list that takes one.
    private static func make() throws(AccessFailure) -> OwnedDescriptor {
        let named = ["SQLITE_TMPDIR", "TMPDIR"].compactMap { (name: String) -> String? in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        for folder in named + ["/var/tmp", "/usr/tmp", "/tmp"] {
            if let made = unnamed(in: folder) ?? unlinked(in: folder) { return made }
        }
        throw .system(call: "open", errno: errno)
    }

    private static func unnamed(in folder: String) -> OwnedDescriptor? {
        let number = unsafe lk_file_open_unnamed(folder)
        return number < 0 ? nil : OwnedDescriptor(owning: number)
    }

    /// For file systems without files that have no name.
    private static func unlinked(in folder: String) -> OwnedDescriptor? {
        var path = Array((folder + "/.latchkey-XXXXXX").utf8CString)
        let number = unsafe mkstemp(&path)
        guard number >= 0 else { return nil }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        unsafe unlink(path)
        return OwnedDescriptor(owning: number)
    }
}
