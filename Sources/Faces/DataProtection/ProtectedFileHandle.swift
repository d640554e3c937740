public import Foundation
import LatchkeyDevice
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyThreading

/// Random access to a protected file, with the methods of `FileHandle`.
///
/// The file follows the lock of the device while it is open. One of class `complete` refuses everything from the end of the
/// grace period on, until the device is unlocked; the handle then works again. One of class `completeUnlessOpen` stays
/// usable. All handles of a process on one file share its content; other processes can read it only while none writes.
///
/// On a mounted volume the file is the volume's own, which every program can read; the volume follows the lock.
///
/// Safe to use from many threads. Methods throw `CocoaError`: `fileReadNoPermission` or `fileWriteNoPermission` while the
/// device is locked, `fileReadCorruptFile` for damaged content.
public final class ProtectedFileHandle: Sendable {
    private struct State {
        var file: ClassedFile?
        var offset: UInt64 = 0
    }

    private let path: String
    private let isWritable: Bool
    private let state: ForkMutex<State>

    /// Opens a file for reading.
    public convenience init(forReadingFrom url: URL) throws {
        try self.init(url, isWritable: false)
    }

    /// Opens a file for reading and writing. The position is at its start, and nothing is cut off.
    public convenience init(forUpdating url: URL) throws {
        try self.init(url, isWritable: true)
    }

    /// Makes a file of a class and opens it for reading and writing. A file that is there already is emptied, and gets the
    /// class.
    ///
    /// - Parameter protection: nil for the class of the file that is there, or of the directory; on a mounted volume the volume
    ///   decides that of a new file.
    public init(forCreating url: URL, protection: FileProtectionType? = nil) throws {
        let path = try DataProtection.path(of: url, .write)
        self.path = path
        isWritable = true
        state = ForkMutex(
            State(
                file: try reporting(.write, path) {
                    let named = try protection.map { try $0.known(path) }
                    let own = try StoredProtection.ofNewFile(at: path, named: named)
                    let file = try ProtectedFileSystem().vault.emptiedClassed(
                        path, permissions: ProtectedFileSystem.permissions, own)
                    file.followDevice()
                    return file
                }))
    }

    private init(_ url: URL, isWritable: Bool) throws {
        let path = try DataProtection.path(of: url, isWritable ? .write : .read)
        self.path = path
        self.isWritable = isWritable
        state = ForkMutex(
            State(
                file: try reporting(isWritable ? .write : .read, path) {
                    let file = try ProtectedFileSystem().vault.openClassed(path, forWriting: isWritable)
                    file.followDevice()
                    return file
                }))
    }

    /// The class of the file.
    public var protection: FileProtectionType {
        get throws { try perform(.read) { FileProtectionType(try $0.file.protection()) } }
    }

    /// Changes the class. The content stays as it is.
    public func setProtection(_ protection: FileProtectionType) throws {
        try perform(.write) { try $0.file.setProtection(protection.known(path)) }
    }

    /// The length of the content in bytes.
    public var size: UInt64 {
        get throws { try perform(.read) { try $0.file.size() } }
    }

    /// Reads up to a number of bytes from the position; nil at the end of the file.
    public func read(upToCount count: Int) throws -> Data? {
        try perform(.read) { place in
            let data = try place.file.read(at: place.offset, upTo: count)
            place.offset += UInt64(data.count)
            return data.isEmpty ? nil : data
        }
    }

    /// Reads to the end of the file; nil at the end.
    public func readToEnd() throws -> Data? {
        try read(upToCount: .max)
    }

    /// Writes at the position, also beyond the end: what lies between reads as zeros.
    public func write(contentsOf data: some DataProtocol) throws {
        try perform(.write) { place in
            for region in data.regions {
                try unsafe region.withUnsafeBytes { try unsafe place.file.write(at: place.offset, from: $0) }
                place.offset += UInt64(region.count)
            }
        }
    }

    /// The position of the next read or write.
    public func offset() throws -> UInt64 {
        try perform(.read) { $0.offset }
    }

    public func seek(toOffset offset: UInt64) throws {
        try perform(.read) { $0.offset = offset }
    }

    @discardableResult
    public func seekToEnd() throws -> UInt64 {
        try perform(.read) { place in
            place.offset = try place.file.size()
            return place.offset
        }
    }

    /// Cuts or extends the file, and puts the position there.
    public func truncate(atOffset offset: UInt64) throws {
        try perform(.write) { place in
            try place.file.truncate(to: offset)
            place.offset = offset
        }
    }

    /// Returns when everything that was written is on disk.
    public func synchronize() throws {
        try perform(.write) { try $0.file.synchronize() }
    }

    /// Writes out what was written and closes the handle. Every later call throws.
    public func close() throws {
        guard let file = state.withLock({ $0.file }) else { return }
        defer { state.withLock { $0.file = nil } }
        guard isWritable else { return }
        _ = try reporting(.write, path) { try file.writeOut() }
    }

    /// The file and the position of one operation.
    private struct Place {
        let file: ClassedFile
        var offset: UInt64
    }

    private func perform<Value: Sendable>(_ deed: FileDeed, _ body: (inout Place) throws -> Value) throws -> Value {
        try reporting(deed, path) {
            let outcome = state.withLock { state -> Result<Value, any Error> in
                guard let file = state.file else { return .failure(AccessFailure.file(.closed)) }
                guard deed == .read || isWritable else { return .failure(AccessFailure.file(.readOnly)) }
                var place = Place(file: file, offset: state.offset)
                defer { state.offset = place.offset }
                return Result { try body(&place) }
            }
            return try outcome.get()
        }
    }
}
