import GRDB
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// The numbers of the change sequence, which a publisher remembers.
@Suite struct ChangeNumberTests {
    private struct Removal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: @Sendable (ItemWriter, ItemRow) throws -> Void
    }

    private static let ending = Ending(.keyDeleted, at: 0)

    private static let removals = [
        Removal(testDescription: "deleted") { try $0.delete($1) },
        Removal(testDescription: "quarantined") { try $0.quarantine($1, reason: "", at: 0) },
        Removal(testDescription: "ended") { try $0.end($1, as: ending) },
        Removal(testDescription: "of a class that ended") { try $0.endRows(ofClass: $1.keyClass, as: ending) },
        Removal(testDescription: "of a removed app") { writer, _ in _ = try writer.deleteRows(inAccessGroups: ["g"]) },
        Removal(testDescription: "erased") { writer, _ in try writer.deleteEverything() },
        Removal(testDescription: "no longer synchronizable") { writer, row in
            var local = row
            local.isSynchronizable = false
            try writer.update(local)
        },
    ]

    private static func number(_ rowID: Int64, _ file: DatabaseFile) throws -> Int? {
        try file.raw { try Int.fetchOne($0, sql: "SELECT change FROM genp WHERE rowid = ?", arguments: [rowID]) }
    }

    @Test("the number of a row that is gone is not used again, also after a start", arguments: removals)
    private func usedNumbers(_ removal: Removal) throws {
        let file = try DatabaseFile()
        let database = try file.open()
        let last = row(2, sync: true)
        try database.write { writer in
            try writer.insert(row(1, group: "h", keyClass: 7, sync: true))
            try writer.insert(last)
        }
        #expect(try Self.number(last.rowID, file) == 2)
        try database.write { try removal.body($0, last) }
        database.close()
        try file.open().write { try $0.insert(row(3, group: "h", sync: true)) }
        #expect(try Self.number(row(3).rowID, file) == 3)
    }

    @Test("each write of a synchronizable row has a greater number, over all tables; other rows have none")
    func order() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { writer in
            for itemClass in allTables { try writer.insert(row(1, in: itemClass, sync: true)) }
            try writer.update(row(1, sync: true))
            try writer.insert(row(2))
        }
        let numbers = try file.raw { db in
            try allTables.map { try Int.fetchOne(db, sql: "SELECT change FROM \($0.rawValue) WHERE rowid = 2") }
        }
        #expect(numbers == [5, 2, 3, 4])
        #expect(try Self.number(row(2).rowID, file) == 0)
    }
}
