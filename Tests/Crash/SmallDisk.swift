import Foundation

/// A tmpfs of a few megabytes, unmounted after the test.
final class SmallDisk: Sendable {
    static var isAvailable: Bool {
        guard getuid() == 0, let disk = try? SmallDisk(megabytes: 1) else { return false }
        return !disk.path.isEmpty
    }

    let path: String

    init(megabytes: Int) throws {
        path = try temporaryDirectory()
        guard mount("latchkey", path, "tmpfs", UInt(MS_NOSUID), "size=\(megabytes)m,mode=700") == 0 else {
            let code = errno
            rmdir(path)
            throw Failed("mount: \(String(cString: strerror(code)))")
        }
    }

    func makeReadOnly() throws { try remount(UInt(MS_RDONLY)) }
    func makeWritable() throws { try remount(0) }

    private func remount(_ flags: UInt) throws {
        guard mount("latchkey", path, "tmpfs", UInt(MS_REMOUNT) | UInt(MS_NOSUID) | flags, nil) == 0 else {
            throw Failed("remount: \(String(cString: strerror(errno)))")
        }
    }

    private var filler: String { path + "/filler" }

    /// Writes until no byte more fits.
    func fill() throws {
        let descriptor = open(filler, O_WRONLY | O_CREAT, 0o600)
        guard descriptor >= 0 else { throw Failed("filler: \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
    }

    func empty() {
        unlink(filler)
    }

    deinit {
        umount2(path, Int32(MNT_DETACH))
        rmdir(path)
    }
}
