import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// A killed process leaves the item row and its listing, or neither.
@Suite struct SyncCrashTests {
    private typealias Stage = CircleStage

    /// The parts of an add and of its report, and the statement after which the process is killed.
    private static let steps: [@Sendable (ItemWriter) throws -> Void] = [
        { try $0.insert(Stage.shared(2)) },
        { try $0.delete(Stage.shared(1), departure: .everywhere) },
        { try $0.setSyncItem(Stage.version(2), named: Stage.name(2)) },
        { try $0.forgetSyncChange(of: Stage.name(2), upTo: .max) },
        { try $0.raiseSyncClock(to: SyncClockRow(epoch: 1, time: 2, count: 3)) },
    ]

    private struct State: Equatable {
        let rows: [[UInt8]]
        let items: [SyncItemRow]
        let changes: [SyncChangeRow]
        let clock: SyncClockRow?

        init(_ database: ItemDatabase) throws {
            rows = try database.identifiers()
            (items, changes, clock) = try database.read {
                (try $0.syncItems(), try $0.syncChanges(), try $0.syncClock())
            }
        }
    }

    @Test("a process killed within a transaction leaves none of its parts", arguments: 0..<5)
    func within(_ step: Int) throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try database.write { try $0.insert(Stage.shared(1)) }
        let before = try State(database)
        let copies = Collected<DatabaseFile>()
        try database.write { writer in
            for part in Self.steps[...step] { try part(writer) }
            copies.append(try file.copyAfterKill())
        }
        #expect(try State(database) != before)
        #expect(try State(try #require(copies.all.first).open()) == before)
    }

    @Test("a process killed after a commit leaves all of its parts, and every change that was not reported")
    func after() throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try database.write { try $0.insert(Stage.shared(1)) }
        try database.write { writer in for part in Self.steps { try part(writer) } }
        let left = try State(file.copyAfterKill().open())
        #expect(try left == State(database))
        #expect(left.rows == [token(2, 1)])
        #expect(left.changes.map(\.name) == [Stage.name(1)])
        #expect(left.items.map(\.known) == [nil, Stage.version(2)])
    }

    @Test("a transaction that fails after its last part leaves none")
    func failed() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { try $0.insert(Stage.shared(1)) }
        let before = try State(database)
        #expect(throws: Refused.self) {
            try database.write { writer in
                for part in Self.steps { try part(writer) }
                throw Refused()
            }
        }
        #expect(try State(database) == before)
    }
}
