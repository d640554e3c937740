import Foundation
import Glibc

/// The least that an exchange by a folder takes: one thread writes a file durably, the other is told by the kernel and reads it.
final class FolderExchange {
    private static let byteCount = 1_024

    private let folder: String
    private let watch: Int32
    private var written = 0

    init(in scratch: String) throws {
        folder = scratch + "/exchange"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        watch = inotify_init1(Int32(IN_CLOEXEC))
        guard watch >= 0, inotify_add_watch(watch, folder, UInt32(IN_MOVED_TO)) >= 0 else {
            throw Failure("cannot watch \(folder)")
        }
    }

    func stop() { close(watch) }

    /// Returns the mean time of as many exchanges.
    func milliseconds(_ count: Int) throws -> Double {
        var sum: UInt64 = 0
        for _ in 0..<count {
            written += 1
            let name = folder + "/\(written)"
            let start = nanoseconds()
            let writer = Thread { [folder] in Self.write(name, in: folder) }
            writer.start()
            try read(name)
            sum += nanoseconds() - start
        }
        return Double(sum) / Double(count) / 1e6
    }

    private static func write(_ name: String, in folder: String) {
        let temporary = name + ".tmp"
        let file = open(temporary, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let bytes = [UInt8](repeating: 7, count: byteCount)
        _ = Glibc.write(file, bytes, bytes.count)
        fdatasync(file)
        close(file)
        rename(temporary, name)
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        fsync(directory)
        close(directory)
    }

    private func read(_ name: String) throws {
        var events = [UInt8](repeating: 0, count: 4_096)
        guard Glibc.read(watch, &events, events.count) > 0 else { throw Failure("no event of \(folder)") }
        let file = open(name, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard file >= 0, Glibc.read(file, &events, events.count) == Self.byteCount else {
            throw Failure("\(name) was not read")
        }
    }
}
