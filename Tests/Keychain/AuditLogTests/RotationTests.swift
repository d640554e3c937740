import Foundation
import LatchkeyAuditLog
import Testing

@Suite("A full audit log")
struct RotationTests {
    private static let limit = 4000

    /// A log with so many records that its file was replaced several times.
    private func fullLog(_ count: Int = 60) throws -> LogDirectory {
        let directory = try LogDirectory()
        directory.write((0..<count).map { "\($0)" }, fileByteLimit: Self.limit)
        return directory
    }

    @Test("becomes the former one, and the chain goes on in a new file")
    func rotates() throws {
        let directory = try fullLog()
        #expect(try directory.names == ["audit", "audit.1"])
        let verdict = try directory.reader.verify()
        #expect(verdict.fault == nil)
        let records = try directory.records()
        #expect(verdict.recordCount == records.count)
        #expect(records[0].event.operation == "log-carried-on")
        #expect(records.count { $0.event.operation == "log-carried-on" } == 2)
        #expect(records.map(\.number) == Array(records[0].number..<records[0].number + Int64(records.count)))
        let groups = records.map(\.event.accessGroup).filter { !$0.isEmpty }
        #expect(groups == (0..<60).suffix(groups.count).map { "\($0)" })
    }

    @Test("never takes more than its two files may", arguments: [1, 2, 7, 100, 257])
    func bound(_ burst: Int) throws {
        let directory = try LogDirectory()
        let limit = 200_000
        let log = directory.log(fileByteLimit: limit)
        for number in 0..<1500 {
            log.record(event("\(number)"), atOnce: number.isMultiple(of: burst))
            guard number.isMultiple(of: 50) else { continue }
            for name in try directory.names { #expect(try directory.bytes(name).count <= limit) }
            #expect(try directory.names.isSubset(of: ["audit", "audit.1"]))
        }
        log.close()
        #expect(try directory.fault() == nil)
        #expect(try directory.names.contains("audit.1"))
    }

    @Test("goes on after a restart, and for all processes of a device")
    func restart() throws {
        let directory = try fullLog()
        let last = try #require(try directory.reader.verify().head).number
        let logs = [directory.log(fileByteLimit: Self.limit), directory.log(fileByteLimit: Self.limit)]
        for number in 0..<40 { logs[number % 2].record(event("n"), atOnce: true) }
        #expect(try directory.fault() == nil)
        #expect(try #require(try directory.reader.verify().head).number > last + 40)
        #expect(logs.allSatisfy { $0.report == nil })
    }

    @Test("misses a former file that was taken away, emptied or cut")
    func formerGone() throws {
        let directory = try fullLog()
        let frames = try directory.frames("audit.1")
        try FileManager.default.removeItem(at: directory.url("audit.1"))
        #expect(try directory.fault() == .missingBeginning)
        try directory.put([], in: "audit.1")
        #expect(try directory.fault() == .missingBeginning)
        try directory.put(frames.dropLast().joined(), in: "audit.1")
        #expect(try directory.fault() == .missingRecords)
        try directory.put(frames.dropFirst().joined(), in: "audit.1")
        #expect(try directory.fault() == .missingBeginning)
        try directory.put(frames.joined(), in: "audit.1")
        #expect(try directory.fault() == nil)
    }

    @Test("misses its newest file, now and at the next start")
    func currentGone() throws {
        let directory = try fullLog()
        try FileManager.default.removeItem(at: directory.url())
        #expect(try directory.fault() == .missingEnd)
        directory.write(["n"], fileByteLimit: Self.limit)
        #expect(try directory.names == ["audit", "audit.broken-1"])
        #expect(try directory.records().map(\.event.operation) == ["log-set-aside", "find"])
    }

    @Test("ends a change of files that a crash cut in two")
    func crashBetweenRenames() throws {
        let directory = try fullLog()
        let records = try directory.records()
        try FileManager.default.moveItem(at: directory.url(), to: directory.url("audit.new"))
        directory.write(["n"], fileByteLimit: Self.limit)
        #expect(try directory.fault() == nil)
        #expect(try directory.records().dropLast() == records[...])
        #expect(try directory.names == ["audit", "audit.1"])
    }

    @Test("does not take a file for its own that a crash left half made")
    func halfMadeFile() throws {
        let directory = try LogDirectory()
        try directory.put([1, 2, 3], in: "audit.new")
        directory.write((0..<30).map { "\($0)" }, fileByteLimit: Self.limit)
        #expect(try directory.fault() == nil)
        #expect(try directory.names == ["audit", "audit.1"])
    }

    @Test("that is broken is set aside with both its files")
    func brokenWithFormer() throws {
        let directory = try fullLog()
        let former = try directory.bytes("audit.1")
        try directory.put(try directory.bytes().dropFirst(50))
        directory.write(["n"], fileByteLimit: Self.limit)
        #expect(try directory.names == ["audit", "audit.broken-1", "audit.broken-2"])
        #expect(try directory.bytes("audit.broken-1") == former)
        #expect(try directory.records().map(\.event.operation) == ["log-set-aside", "log-set-aside", "find"])
        #expect(try directory.fault() == nil)
    }
}
