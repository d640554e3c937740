import Foundation

/// A tmpfs of a few megabytes, unmounted after the test.
package final class SmallDisk: Sendable {
    package static var isAvailable: Bool {
        guard getuid() == 0, let disk = try? SmallDisk(megabytes: 1) else { return false }
        return !disk.path.isEmpty
    }

    package let path: String
    private let isOwnDirectory: Bool

    /// - Parameter directory: an empty directory that stays; a new one if nil.
    package init(megabytes: Int, at directory: String? = nil) throws {
        path = try directory ?? Self.newDirectory()
        isOwnDirectory = directory == nil
        guard mount("latchkey", path, "tmpfs", UInt(MS_NOSUID), "size=\(megabytes)m,mode=700") == 0 else {
            let failure = Self.failure()
            if isOwnDirectory { rmdir(path) }
            throw failure
        }
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        if isOwnDirectory { rmdir(path) }
    }

    package func makeReadOnly() throws { try remount(UInt(MS_RDONLY)) }
    package func makeWritable() throws { try remount(0) }

    private func remount(_ flags: UInt) throws {
        guard mount("latchkey", path, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_NOSUID) | flags, nil) == 0 else {
            throw Self.failure()
        }
    }

    private var filler: String { path + "/filler" }

    /// Writes until no byte more fits.
    package func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw Self.failure() }
    }

    /// Takes away what ``fill()`` wrote.
    package func empty() {
        unlink(filler)
    }

    private static func newDirectory() throws -> String {
        var name = Array("/tmp/latchkey-disk-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { throw failure() }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
