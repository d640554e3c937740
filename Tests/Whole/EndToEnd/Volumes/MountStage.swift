import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// A device, unlocked, and a volume on it that is mounted by the real programs. Unmounted and removed with the test.
final class MountStage {
    let device: ThrowawayDevice
    /// For stores, folders and scratch files.
    let directory: String
    let store: String
    let folder: String

    init(isMounted: Bool = true, fileClass: String = "C", store: String? = nil) throws {
        _ = try Installation.program("latchkey-volume")
        try #require(
            access("/dev/fuse", R_OK | W_OK) == 0, "/dev/fuse is missing (apt-get install fuse3; modprobe fuse)")
        try #require(
            access("/usr/bin/fusermount3", X_OK) == 0, "fusermount3 is missing (apt-get install fuse3)")
        device = try ThrowawayDevice.unlocked()
        var template = Array("/tmp/latchkey-mount.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        self.store = store ?? directory + "/store"
        folder = directory + "/folder"
        guard isMounted else { return }
        try create("--class", fileClass)
        try mount()
    }

    deinit {
        // Foundation's reading of whole files ends with the first piece of this table.
        let table = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/mounts")).readToEnd()
        for line in String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n")
        where line.contains(" \(directory)") && line.contains(" fuse.latchkey ") {
            let path = MountStage.unescaped(line.split(separator: " ")[1])
            if (try? device(["volume", "unmount", path]))?.status != 0 { umount2(path, Int32(MNT_DETACH)) }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The kernel writes blanks, tabs, line breaks and backslashes as three octal digits.
    private static func unescaped(_ text: Substring) -> String {
        ["040": " ", "011": "\t", "012": "\n", "134": "\\"].reduce(String(text)) { text, pair in
            text.replacingOccurrences(of: "\\" + pair.key, with: pair.value)
        }
    }

    func create(_ options: String...) throws {
        let made = try device(["volume", "create", store] + options)
        try #require(made.status == 0, "\(made.errors)")
    }

    func mount(_ options: String...) throws {
        let mounted = try device(["volume", "mount", store, folder] + options)
        try #require(mounted.status == 0, "\(mounted.errors)")
    }

    func unmount() throws {
        let unmounted = try device(["volume", "unmount", folder])
        try #require(unmounted.status == 0, "\(unmounted.errors)")
    }

    func remount() throws {
        try unmount()
        try mount()
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func lock() throws {
        try #require(try device("lock --now").status == 0)
    }

    func unlock() throws {
        try #require(try device("unlock", input: "246810\n").status == 0)
    }

    /// The process that serves the volume.
    func server() throws -> Int32 {
        let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter {
            number in
            let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") ?? Data()
            let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return words.first?.hasSuffix("/latchkey-volume") == true && words.contains(store)
        }
        try #require(found.count == 1, "\(found)")
        return found[0]
    }

    /// Ends the server as a crash does; returns when it is gone.
    func killServer() throws {
        let number = try server()
        try #require(kill(number, SIGKILL) == 0)
        // The lock of the store goes with the last thread.
        eventually { kill(number, 0) != 0 || ThrowawayDevice.isZombie(number) }
        // Without its process the folder has no connection.
        let folder = folder
        eventually {
            FileHandleNumber.failure { _ = try FileHandleNumber(folder, O_RDONLY | O_DIRECTORY) } == .ENOTCONN
        }
    }
}

/// A file that stays open, by the calls of the system.
final class FileHandleNumber {
    let number: Int32

    init(_ path: String, _ flags: Int32 = O_RDONLY) throws {
        number = open(path, flags | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(number)
    }

    func read(_ count: Int = 4096, at offset: Int = 0) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = pread(number, &bytes, count, offset)
        guard read >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return Array(bytes[..<read])
    }

    func write(_ bytes: [UInt8], at offset: Int = 0) throws {
        guard pwrite(number, bytes, bytes.count, offset) == bytes.count else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    func synchronize() throws {
        guard fsync(number) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    /// The error of a body; nil if there was none.
    static func failure(_ body: () throws -> Void) -> POSIXErrorCode? {
        do {
            try body()
            return nil
        } catch {
            return (error as? POSIXError)?.code
        }
    }

    static func content(_ path: String) throws -> [UInt8] {
        let file = try FileHandleNumber(path)
        var (bytes, piece) = ([UInt8](), try file.read(1 << 16))
        while !piece.isEmpty {
            bytes += piece
            piece = try file.read(1 << 16, at: bytes.count)
        }
        return bytes
    }

    static func store(_ text: String, at path: String) throws {
        try FileHandleNumber(path, O_WRONLY | O_CREAT | O_EXCL).write(Array(text.utf8))
    }
}
