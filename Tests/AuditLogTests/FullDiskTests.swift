import AuditLog
import Foundation
import Testing

/// A real file system that is full: needs root for a small tmpfs.
@Suite(.enabled(if: SmallDisk.isAvailable, "mounting a tmpfs needs root"))
struct FullDiskTests {
    @Test("on a full disk no record is written in part, and room brings the count of what was lost")
    func fullDisk() throws {
        let disk = try SmallDisk()
        let filler = disk.directory.path + "/filler"
        disk.directory.write(["a"])
        try disk.fill(filler)
        let log = disk.directory.log()
        for number in 0..<40 { log.record(event("\(number)"), atOnce: true) }
        #expect(try disk.directory.fault() == nil)
        let written = try disk.directory.records().count
        #expect(written < 41, "the disk was to be full")
        try FileManager.default.removeItem(atPath: filler)
        log.record(event("after"), atOnce: true)
        let records = try disk.directory.records()
        #expect(try disk.directory.fault() == nil)
        #expect(records.suffix(2).map(\.event.operation) == ["log-lost", "find"])
        #expect(records[written].count == Int64(41 - written))
    }
}

/// A tmpfs of a megabyte over the directory of a log, unmounted after the test.
final class SmallDisk: Sendable {
    static var isAvailable: Bool { getuid() == 0 && (try? SmallDisk()) != nil }

    let directory: LogDirectory

    init() throws {
        directory = try LogDirectory()
        guard mount("latchkey", directory.path, "tmpfs", UInt(MS_NOSUID), "size=1m,mode=700") == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }

    /// Writes a file that takes all room there is.
    func fill(_ path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        let page = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, page, page.count) > 0 {}
        guard errno == ENOSPC else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        umount2(directory.path, Int32(MNT_DETACH))
    }
}
