import Foundation
import LatchkeyAuditLog
import LatchkeyTestSupport
import Testing

/// A real file system that is full: needs root for a small tmpfs.
@Suite(.needsMounts)
struct FullDiskTests {
    @Test("on a full disk no record is written in part, and room brings the count of what was lost")
    func fullDisk() throws {
        let directory = try LogDirectory()
        let disk = try SmallDisk(megabytes: 1, at: directory.path)
        directory.write(["a"])
        try disk.fill()
        let log = directory.log()
        for number in 0..<40 { log.record(event("\(number)"), atOnce: true) }
        #expect(try directory.fault() == nil)
        let written = try directory.records().count
        #expect(written < 41, "the disk was to be full")
        disk.empty()
        log.record(event("after"), atOnce: true)
        let records = try directory.records()
        #expect(try directory.fault() == nil)
        #expect(records.suffix(2).map(\.event.operation) == ["log-lost", "find"])
        #expect(records[written].count == Int64(41 - written))
        withExtendedLifetime(disk) {}
    }
}
