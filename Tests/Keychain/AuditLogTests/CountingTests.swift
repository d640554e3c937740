import Foundation
import LatchkeyAuditLog
import LatchkeyEncoding
import LatchkeyTestSupport
import Synchronization
import Testing

@Suite("What the audit log counts before it writes")
struct CountingTests {
    @Test("equal events within a second become one record, with the time of the first")
    func equalEvents() throws {
        let directory = try LogDirectory()
        let log = directory.log()
        log.record(event("first"), atOnce: false)
        directory.advance(by: 0.25)
        for _ in 0..<5 {
            for group in ["a", "b"] { log.record(event(group), atOnce: false) }
        }
        #expect(try directory.records().map(\.event.accessGroup) == ["first"], "the others wait")
        directory.advance(by: 1)
        log.record(event("a"), atOnce: false)
        let records = try directory.records()
        #expect(records.map(\.event.accessGroup) == ["first", "a", "b"])
        #expect(records.map(\.count) == [1, 6, 5])
        #expect(records.map(\.time) == [800_000_000, 800_000_000.25, 800_000_000.25])
    }

    static let differences: [AuditEvent] = [
        event("h"), event(operation: "add"), event(code: -25300), event(program: "/bin/other"),
        event(code: -34018, rule: "foreign-access-group"),
    ]

    @Test("events that differ in anything stay apart", arguments: differences)
    func differentEvents(_ other: AuditEvent) throws {
        let directory = try LogDirectory()
        let log = directory.log()
        for _ in 0..<2 { for event in [event(), other] { log.record(event, atOnce: false) } }
        log.flush()
        let records = try directory.records()
        #expect(Set(records.map(\.event)) == [event(), other])
        #expect(records.reduce(0) { $0 + $1.count } == 4)
    }

    @Test("what must be written at once takes along what waits, in its order")
    func atOnce() throws {
        let directory = try LogDirectory()
        let log = directory.log()
        log.flush()
        for group in ["a", "b"] { log.record(event(group), atOnce: false) }
        #expect(try directory.records().isEmpty)
        log.record(event("c", code: -34018, rule: "r"), atOnce: true)
        #expect(try directory.records().map(\.event.accessGroup) == ["a", "b", "c"])
    }

    @Test("so many different events are not kept waiting")
    func manyDifferent() throws {
        let directory = try LogDirectory()
        let log = directory.log()
        log.flush()
        for number in 0..<AuditLog.waitingLimit - 1 { log.record(event("\(number)"), atOnce: false) }
        #expect(try directory.records().isEmpty)
        log.record(event("last"), atOnce: false)
        #expect(try directory.records().count == AuditLog.waitingLimit)
    }

    @Test("closing and letting go of the log write what waits", arguments: [true, false])
    func ends(_ closes: Bool) throws {
        let directory = try LogDirectory()
        do {
            let log = directory.log()
            log.flush()
            log.record(event(), atOnce: false)
            if closes { log.close() }
        }
        #expect(try directory.records().count == 1)
    }

    @Test("of eight threads at once nothing is lost, with and without a writer of its own", arguments: [true, false])
    func threads(_ hasWriter: Bool) throws {
        let directory = try LogDirectory()
        let log = directory.log(fileByteLimit: 4 << 20)
        let ended = DispatchGroup()
        if hasWriter { DispatchQueue(label: "writer").async(group: ended) { log.runWriter() } }
        let rounds = 400
        onThreads(8) { thread in
            for round in 0..<rounds {
                log.record(event("shared"), atOnce: false)
                log.record(event("\(thread) \(round % 7)"), atOnce: round.isMultiple(of: 50))
            }
        }
        log.close()
        ended.wait()
        #expect(try directory.fault() == nil)
        let counts = try directory.records().reduce(into: [String: Int64]()) {
            $0[$1.event.accessGroup, default: 0] += $1.count
        }
        #expect(counts["shared"] == Int64(8 * rounds))
        #expect(counts.count == 1 + 8 * 7)
        #expect(counts.values.reduce(0, +) == Int64(2 * 8 * rounds))
    }

    @Test("a writer puts the file in order at its start, and writes without being asked")
    func writer() throws {
        let directory = try LogDirectory()
        directory.write(["a", "b"])
        try directory.put(try directory.bytes().dropFirst(30))
        let log = directory.log()
        let ended = DispatchGroup()
        DispatchQueue(label: "writer").async(group: ended) { log.runWriter() }
        try Self.wait { try directory.names.contains("audit.broken-1") }
        for number in 0..<AuditLog.waitingLimit { log.record(event("\(number)"), atOnce: false) }
        try Self.wait { try directory.records().count > AuditLog.waitingLimit }
        log.close()
        ended.wait()
        #expect(try directory.records().count == 1 + AuditLog.waitingLimit)
        #expect(log.report != nil)
    }

    /// A time limit of the test would count the time in which the runner has no thread for it.
    private static func wait(until isTrue: () throws -> Bool) throws {
        let end = ContinuousClock.now + .seconds(60)
        while try !isTrue(), ContinuousClock.now < end { usleep(1000) }
        guard try !isTrue() else { return }
        Issue.record("the writer did not write within a minute")
    }

    @Test("an event that cannot be written fails no call, and is counted as lost when it can be again")
    func unwritable() throws {
        let directory = try LogDirectory()
        directory.write(["a"])
        let log = directory.log()
        let aside = directory.path + "/elsewhere"
        try FileManager.default.moveItem(atPath: directory.url().path, toPath: aside)
        try FileManager.default.createDirectory(at: directory.url(), withIntermediateDirectories: false)
        for _ in 0..<3 { log.record(event("b"), atOnce: true) }
        try FileManager.default.removeItem(at: directory.url())
        try FileManager.default.moveItem(atPath: aside, toPath: directory.url().path)
        log.record(event("c"), atOnce: true)
        let records = try directory.records()
        #expect(records.map(\.event.operation) == ["find", "log-lost", "find"])
        #expect(records.map(\.count) == [1, 3, 1])
        #expect(try directory.fault() == nil)
        #expect(log.report == nil)
    }
}
