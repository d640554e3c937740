import Foundation
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

@Suite struct GroupCommitTests {
    @Test("writers that wait share one commit, and the one that fails takes nothing of the others with it")
    func failingWriterAlone() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        let outcomes = Collected<(number: Int, failed: Bool)>()
        let uncommittedRowsOfOthers = Collected<Int64>()
        let followers = 8
        let group = DispatchGroup()
        // The first writer holds the lead until every other one waits behind it.
        try database.write { writer in
            for number in 1...followers {
                group.enter()
                Thread.detachNewThread {
                    defer { group.leave() }
                    do {
                        try database.write { writer in
                            let inside = try writer.reader.itemCount(of: .genericPassword)
                            let committed = try database.read { try $0.itemCount(of: .genericPassword) }
                            uncommittedRowsOfOthers.append(inside - committed)
                            try writer.insert(row(number))
                            if number.isMultiple(of: 3) { throw Refused() }
                        }
                        outcomes.append((number, false))
                    } catch {
                        outcomes.append((number, true))
                    }
                }
            }
            while database.testOnlyWaitingWriters < followers { usleep(1_000) }
            try writer.insert(row(0))
        }
        group.wait()
        #expect(Set(outcomes.all.filter(\.failed).map(\.number)) == [3, 6])
        let expected = Set([0, 1, 2, 4, 5, 7, 8].map { token($0, 1) })
        #expect(Set(try database.identifiers()) == expected)
        // The last to write saw the rows of the five successful ones before it, none of them committed yet.
        #expect(uncommittedRowsOfOthers.all.max() ?? 0 >= 4)
    }

    @Test("a lone writer that fails leaves nothing")
    func loneFailure() throws {
        let database = try DatabaseFile().open()
        #expect(throws: Refused.self) {
            try database.write { writer in
                try writer.insert(row(1))
                throw Refused()
            }
        }
        #expect(try database.identifiers().isEmpty)
        // And the next writer finds a working database.
        try database.write { try $0.insert(row(2)) }
        #expect(try database.identifiers() == [token(2, 1)])
    }

    @Test("what many writers add at once is all there, once, after reopening")
    func manyWriters() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        let failures = Collected<String>()
        onThreads(16) { thread in
            for index in 0..<25 {
                do { try database.write { try $0.insert(row(thread * 100 + index)) } } catch {
                    failures.append("\(error)")
                }
            }
        }
        #expect(failures.all.isEmpty)
        database.close()
        let expected = Set((0..<16).flatMap { thread in (0..<25).map { token(thread * 100 + $0, 1) } })
        let found = try file.open().identifiers()
        #expect(found.count == 400)
        #expect(Set(found) == expected)
    }

    @Test("two processes' worth of connections write side by side")
    func twoConnections() throws {
        let file = try DatabaseFile()
        let databases = [try file.open(), try file.open()]
        let failures = Collected<String>()
        onThreads(8) { thread in
            for index in 0..<20 {
                do {
                    try databases[thread % 2].write { try $0.insert(row(thread * 100 + index)) }
                } catch {
                    failures.append("\(error)")
                }
            }
        }
        #expect(failures.all.isEmpty)
        #expect(try databases[0].identifiers().count == 160)
        #expect(try databases[1].integrityFindings().isEmpty)
    }

    @Test("a unique violation is the writer's own failure")
    func uniqueViolation() throws {
        let database = try DatabaseFile().open()
        try database.write { try $0.insert(row(1)) }
        #expect(throws: ItemDatabaseFailure.self) { try database.write { try $0.insert(row(1)) } }
        #expect(try database.identifiers().count == 1)
    }
}
