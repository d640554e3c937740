import Foundation
import LatchkeyAuditLog
import LatchkeyTestSupport
import Testing

@Suite("The audit log after a restart")
struct RestartTests {
    @Test("goes on with its chain")
    func continues() throws {
        let directory = try LogDirectory()
        for group in ["a", "b", "c"] { directory.write([group]) }
        #expect(try directory.records().map(\.number) == [1, 2, 3])
        #expect(try directory.records().map(\.event.accessGroup) == ["a", "b", "c"])
        #expect(try directory.fault() == nil)
    }

    @Test("cuts away what a crash left of the last record, wherever it was cut, and says so")
    func cut() throws {
        let directory = try LogDirectory()
        directory.write(["a", "b"])
        let bytes = try directory.bytes()
        let first = try directory.frames()[0].count
        for count in first + 1..<bytes.count {
            try directory.put(bytes.prefix(count))
            #expect(try directory.fault() == .cut)
            let log = directory.log()
            log.record(event("n"), atOnce: true)
            #expect(try directory.fault() == nil, "cut to \(count) bytes")
            #expect(try directory.records().map(\.event.operation) == ["find", "log-cut-away", "find"])
            #expect(try directory.records().map(\.event.accessGroup) == ["a", "", "n"])
            #expect(log.report == nil)
        }
        #expect(try directory.names == ["audit"])
    }

    @Test("begins anew after a crash in its first record")
    func cutFirst() throws {
        let directory = try LogDirectory()
        directory.write(["a"])
        try directory.put(try directory.bytes().dropLast())
        directory.write(["n"])
        #expect(try directory.fault() == nil)
        #expect(try directory.records().map(\.event.operation) == ["log-cut-away", "find"])
    }

    @Test("takes zeros at the end for what a crash left")
    func zeros() throws {
        let directory = try LogDirectory()
        directory.write(["a"])
        try directory.put(try directory.bytes() + [UInt8](repeating: 0, count: 10_000))
        directory.write(["n"])
        #expect(try directory.fault() == nil)
        #expect(try directory.records().map(\.event.operation) == ["find", "log-cut-away", "find"])
    }

    @Test(
        "keeps a broken chain, reports it, and begins another one",
        arguments: ChainTests.changes.filter { $0.fault != .cut })
    func broken(_ change: ChainTests.Change) throws {
        let directory = try LogDirectory()
        directory.write(["a", "b", "c", "d", "e"])
        var frames = try directory.frames()
        change.change(&frames)
        try directory.put(frames.joined())
        let log = directory.log()
        log.record(event("n"), atOnce: true)
        #expect(log.report?.contains("audit.broken-") == true)
        #expect(try directory.bytes("audit.broken-1") == Array(frames.joined()))
        let verdict = try directory.reader.verify()
        #expect(verdict.fault == nil)
        #expect(verdict.asideFiles == ["audit.broken-1"])
        let records = try directory.records()
        #expect(records.map(\.event.operation) == ["log-set-aside", "find"])
        #expect(records[0].number == 1)
        #expect(records[0].event.program == "audit.broken-1")
        #expect(AuditFault.Kind(rawValue: records[0].event.rule) != nil)
    }

    @Test("gives every broken file a name of its own")
    func brokenTwice() throws {
        let directory = try LogDirectory()
        for _ in 0..<2 {
            directory.write(["a", "b"])
            try directory.put(try directory.bytes().dropFirst(100))
        }
        directory.write(["n"])
        #expect(try directory.names == ["audit", "audit.broken-1", "audit.broken-2"])
        #expect(try directory.reader.verify().asideFiles == ["audit.broken-1", "audit.broken-2"])
    }

    @Test("notices that its file was taken away, shortened or changed while it ran")
    func whileRunning() throws {
        let directory = try LogDirectory()
        let log = directory.log()
        for group in ["a", "b"] { log.record(event(group), atOnce: true) }
        let frames = try directory.frames()
        try FileManager.default.removeItem(at: directory.url())
        log.record(event("c"), atOnce: true)
        #expect(log.report?.contains("missing-end") == true)
        #expect(try directory.records().map(\.event.operation) == ["log-set-aside", "find"])
        try directory.put(frames[0])
        log.record(event("d"), atOnce: true)
        #expect(try directory.bytes("audit.broken-1") == frames[0])
        try directory.put(try directory.bytes() + [UInt8](repeating: 9, count: 400))
        log.record(event("e"), atOnce: true)
        #expect(try directory.names == ["audit", "audit.broken-1", "audit.broken-2"])
        #expect(try directory.fault() == nil)
    }

    @Test("of several processes that write at the same moment has one chain, in full files as well")
    func together() throws {
        let directory = try LogDirectory()
        let logs = (0..<4).map { _ in directory.log(fileByteLimit: 100_000) }
        onThreads(4) { index in
            for round in 0..<100 { logs[index].record(event("\(index) \(round)"), atOnce: true) }
        }
        #expect(try directory.fault() == nil)
        #expect(logs.allSatisfy { $0.report == nil })
        #expect(try directory.names == ["audit", "audit.1"])
        let records = try directory.records()
        #expect(records.count { $0.event.operation == "find" } == 400)
        #expect(!records.contains { $0.event.operation == "log-lost" })
    }

    @Test("of several processes on one device has one chain")
    func shared() throws {
        let directory = try LogDirectory()
        let logs = (0..<4).map { _ in directory.log() }
        for round in 0..<20 {
            for (index, log) in logs.enumerated() { log.record(event("\(round) \(index)"), atOnce: true) }
        }
        #expect(try directory.fault() == nil)
        #expect(try directory.records().count == 80)
        #expect(logs.allSatisfy { $0.report == nil })
    }
}
