import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

@Suite struct RowTests {
    @Test("a row comes back as it was written, in every table", arguments: allTables)
    func roundTrip(_ itemClass: ItemClass) throws {
        let database = try DatabaseFile().open()
        let written = row(7, in: itemClass, group: "group", keyClass: 9, sync: true, tokens: [.label: token(1, 9)])
        try database.write { try $0.insert(written) }
        let found = try #require(
            try database.read { try $0.rows(matching: RowFilter(itemClass: itemClass), limit: 2, withSecret: true) }
                .first)
        #expect(found.rowID == written.rowID)
        #expect(found.accessGroup == "group")
        #expect(found.keyClass == 9)
        #expect(found.isSynchronizable)
        #expect(!found.isTombstone)
        #expect(found.creationDate == 7)
        #expect(found.modificationDate == 8)
        #expect(found.identifier == written.identifier)
        #expect(found.syncIdentifier == written.syncIdentifier)
        #expect(found.sealedAttributes == written.sealedAttributes)
        #expect(found.sealedSecret == written.sealedSecret)
        #expect(found.wrappedItemKey == written.wrappedItemKey)
    }

    @Test("the secret is read only if it is asked for, and an item without one has none")
    func withoutSecret() throws {
        let database = try DatabaseFile().open()
        var bare = row(2)
        bare.sealedSecret = nil
        bare.wrappedItemKey = nil
        let rows = [row(1), bare]
        try database.write { writer in for row in rows { try writer.insert(row) } }
        let filter = RowFilter(itemClass: .genericPassword)
        let light = try database.read { try $0.rows(matching: filter, limit: 9, withSecret: false) }
        #expect(light.allSatisfy { $0.sealedSecret == nil })
        let full = try database.read { try $0.rows(matching: filter, limit: 9, withSecret: true) }
        #expect(full.map { $0.sealedSecret?.count } == [32, nil])
    }

    @Test("rows come in the order they were numbered, in pages without gap or repetition")
    func order() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            for number in [5, 3, 9, 1, 7] {
                try writer.insert(row(number, rowID: database.newRowNumber(at: 1000)))
            }
        }
        var pages: [[UInt8]] = []
        var last: Int64 = 0
        while true {
            let after = last
            let page = try database.read {
                try $0.rows(matching: RowFilter(itemClass: .genericPassword), after: after, limit: 2, withSecret: false)
            }
            guard let end = page.last else { break }
            pages += page.map(\.identifier)
            last = end.rowID
        }
        #expect(pages == [5, 3, 9, 1, 7].map { token($0, 1) })
    }

    @Test("a new row's number is the time, and higher than every number there is")
    func newNumbers() throws {
        let database = try DatabaseFile().open()
        #expect(database.newRowNumber(at: 5_000_000) == 5_000_000)
        #expect(database.newRowNumber(at: 5_000_000) == 5_000_001)
        #expect(database.newRowNumber(at: -3) == 5_000_002)
        #expect(database.newRowNumber(at: 5_000_003) == 5_000_003)
    }

    /// Numbers that no version gives: an attacker has changed the file.
    @Test("where a number has no successor, the file is damaged, and no process ends")
    func numbersAtTheirEnd() throws {
        let file = try DatabaseFile()
        try file.open().write { try $0.insert(row(1, rowID: .max)) }
        let database = try file.open()
        #expect(database.newRowNumber(at: 0) == .max)
        #expect(throws: ItemDatabaseFailure.numberTaken) { try database.write { try $0.insert(row(2, rowID: .max)) } }
        #expect(throws: ItemDatabaseFailure.damaged("a row has the highest number that there is")) {
            try database.catchUpWithNumbers()
        }
        try file.raw { try $0.execute(sql: "UPDATE rownumbers SET change = \(Int64.max)") }
        #expect(throws: ItemDatabaseFailure.damaged("a change has the highest number that there is")) {
            try database.write { try $0.insert(row(3, sync: true)) }
        }
        try database.write { try $0.insert(row(4, rowID: .min)) }
        let former = FormerDigests(shelf: .items(.genericPassword), keyClass: 6, last: 5)
        #expect(try database.read { try $0.page(of: former, limit: 1) }.next == nil)
    }

    private struct Removal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: @Sendable (ItemWriter, ItemRow) throws -> Void
    }

    private static let removals = [
        Removal(testDescription: "deleted") { try $0.delete($1) },
        Removal(testDescription: "quarantined") { try $0.quarantine($1, reason: "", at: 0) },
        Removal(testDescription: "of a removed app") { writer, _ in _ = try writer.deleteRows(inAccessGroups: ["g"]) },
        Removal(testDescription: "erased") { writer, _ in try writer.deleteEverything() },
    ]

    @Test(
        "the number of a row that is gone is not used again, after a start with the clock set back", arguments: removals
    )
    private func usedNumbers(_ removal: Removal) throws {
        let file = try DatabaseFile()
        let database = try file.open()
        let last = row(1, rowID: database.newRowNumber(at: 9_000_000))
        try database.write { try $0.insert(last) }
        try database.write { try removal.body($0, last) }
        database.close()
        #expect(try file.open().newRowNumber(at: 1) > last.rowID)
    }

    @Test(
        "a number or a primary key that is taken is answered with false, and nothing changes", arguments: allTables)
    func taken(_ itemClass: ItemClass) throws {
        let database = try DatabaseFile().open()
        try database.write { try $0.insert(row(1, in: itemClass)) }
        #expect(try !database.write { try $0.insertIfFree(row(1, in: itemClass, rowID: 50)) })
        #expect(try !database.write { try $0.insertIfFree(row(2, in: itemClass, rowID: row(1).rowID)) })
        #expect(try database.write { try $0.insertIfFree(row(2, in: itemClass)) })
        #expect(try database.identifiers(RowFilter(itemClass: itemClass)) == [token(1, 1), token(2, 1)])
    }

    @Test("the row of a primary key is found among its neighbours", arguments: allTables)
    func primaryKey(_ itemClass: ItemClass) throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            for number in 1...3 { try writer.insert(row(number, in: itemClass)) }
            try writer.insert(row(2, in: itemClass, group: "h", rowID: 9))
        }
        #expect(try database.read { try $0.row(withPrimaryKeyOf: row(2, in: itemClass, rowID: 77)) }?.rowID == 3)
        #expect(try database.read { try $0.row(withPrimaryKeyOf: row(4, in: itemClass)) }?.rowID == nil)
    }

    @Test("the rows of a token in the groups of an app are told before they go")
    func rowsOfToken() throws {
        let database = try DatabaseFile().open()
        let ofToken = token(1, 20)
        try database.write { writer in
            try writer.insert(row(1, in: .key, group: "a", tokens: [.tokenID: ofToken]))
            try writer.insert(row(2, in: .key, group: "a"))
            try writer.insert(row(3, in: .key, group: "b", tokens: [.tokenID: ofToken]))
            try writer.insert(row(4, in: .key, group: "c", tokens: [.tokenID: ofToken]))
            try writer.insert(row(5, in: .certificate, group: "a", tokens: [.tokenID: ofToken]))
        }
        var filter = RowFilter(itemClass: .key)
        filter.accessGroups = ["a", "b"]
        filter.tokens = [(.tokenID, ofToken)]
        #expect(try database.identifiers(filter) == [token(1, 1), token(3, 1)])
    }

    @Test("a number that another process has given is refused by name, and the next one is higher")
    func numberOfAnotherProcess() throws {
        let file = try DatabaseFile()
        let (mine, theirs) = (try file.open(), try file.open())
        let number = mine.newRowNumber(at: 1000)
        try theirs.write { try $0.insert(row(1, rowID: theirs.newRowNumber(at: 1000))) }
        #expect(throws: ItemDatabaseFailure.numberTaken) {
            try mine.write { try $0.insert(row(2, rowID: number)) }
        }
        try theirs.write { try $0.insert(row(3, rowID: theirs.newRowNumber(at: 5000))) }
        try mine.catchUpWithNumbers()
        #expect(mine.newRowNumber(at: 0) == 5001)
    }

    @Test("a reference is found whether it begins with the row number or not, and is gone with its row")
    func references() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        var own = row(1)
        own.identifier = PersistentReference.identifier(ofRow: own.rowID, random: [1, 2, 3, 4, 5, 6, 7, 8])
        // It names the first row, which is not its own.
        var foreign = row(2)
        foreign.identifier = PersistentReference.identifier(ofRow: own.rowID, random: [8, 7, 6, 5, 4, 3, 2, 1])
        let rows = [own, foreign]
        try database.write { writer in for row in rows { try writer.insert(row) } }
        for row in rows {
            var filter = RowFilter(itemClass: .genericPassword)
            filter.identifier = row.identifier
            #expect(try database.identifiers(filter) == [row.identifier])
        }
        try database.write { writer in for row in rows { try writer.delete(row) } }
        for row in rows {
            var filter = RowFilter(itemClass: .genericPassword)
            filter.identifier = row.identifier
            #expect(try database.identifiers(filter).isEmpty)
        }
        #expect(try file.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM otherrefs") } == 0)
    }

    private struct Filtering: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let numbers: [Int]
        let change: @Sendable (inout RowFilter) -> Void
    }

    private static let filterings = [
        Filtering(testDescription: "live rows by default", numbers: [1, 2, 3, 4]) { _ in },
        Filtering(testDescription: "tombstones", numbers: [5]) { $0.isTombstone = true },
        Filtering(testDescription: "both", numbers: [1, 2, 3, 4, 5]) { $0.isTombstone = nil },
        Filtering(testDescription: "one group", numbers: [1, 2, 4]) { $0.accessGroups = ["g"] },
        Filtering(testDescription: "two groups", numbers: [1, 2, 3, 4]) { $0.accessGroups = ["g", "h", "none"] },
        Filtering(testDescription: "no group at all", numbers: []) { $0.accessGroups = [] },
        Filtering(testDescription: "a group of another case", numbers: []) { $0.accessGroups = ["G"] },
        Filtering(testDescription: "synchronizable", numbers: [2]) { $0.isSynchronizable = true },
        Filtering(testDescription: "a protection class", numbers: [3]) { $0.keyClass = 8 },
        Filtering(testDescription: "a day", numbers: [4]) { $0.creationDate = 4 },
        Filtering(testDescription: "a day of change", numbers: [4]) { $0.modificationDate = 5 },
        Filtering(testDescription: "a reference", numbers: [3]) { $0.identifier = token(3, 1) },
        Filtering(testDescription: "a reference in another group", numbers: []) {
            $0.identifier = token(3, 1)
            $0.accessGroups = ["g"]
        },
        Filtering(testDescription: "a row number", numbers: [2]) { $0.rowID = row(2).rowID },
        Filtering(testDescription: "a token", numbers: [1, 3]) { $0.tokens = [(.account, token(1, 9))] },
        Filtering(testDescription: "two tokens", numbers: [3]) {
            $0.tokens = [(.account, token(1, 9)), (.service, token(2, 9))]
        },
        Filtering(testDescription: "the same token in another column", numbers: []) {
            $0.tokens = [(.label, token(1, 9))]
        },
    ]

    @Test("each part of a filter counts", arguments: filterings)
    private func filters(_ filtering: Filtering) throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.insert(row(1, tokens: [.account: token(1, 9)]))
            try writer.insert(row(2, sync: true))
            try writer.insert(row(3, group: "h", keyClass: 8, tokens: [.account: token(1, 9), .service: token(2, 9)]))
            try writer.insert(row(4, tokens: [.account: token(4, 9)]))
            try writer.insert(row(5, tombstone: true))
        }
        var filter = RowFilter(itemClass: .genericPassword)
        filtering.change(&filter)
        #expect(try database.identifiers(filter) == filtering.numbers.map { token($0, 1) })
    }

    @Test("an update writes every column and keeps the row number")
    func update() throws {
        let database = try DatabaseFile().open()
        let rowID = row(1).rowID
        try database.write { try $0.insert(row(1, tokens: [.account: token(1, 9)])) }
        var changed = row(2, group: "h", tokens: [.service: token(2, 9)])
        changed.rowID = rowID
        let update = changed
        try database.write { try $0.update(update) }
        var filter = RowFilter(itemClass: .genericPassword)
        filter.tokens = [(.service, token(2, 9))]
        let found = try database.read { try $0.rows(matching: filter, limit: 9, withSecret: false) }
        #expect(found.map(\.rowID) == [rowID])
        #expect(found.first?.accessGroup == "h")
        filter.tokens = [(.account, token(1, 9))]
        #expect(try database.identifiers(filter).isEmpty)
    }

    @Test("a row in quarantine keeps everything that could open it, with the reason")
    func quarantine() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { writer in
            try writer.insert(row(1))
            try writer.insert(row(2))
            let rows = try writer.reader.rows(
                matching: RowFilter(itemClass: .genericPassword), limit: 1, withSecret: false)
            for row in rows { try writer.quarantine(row, reason: "why", at: 99) }
        }
        #expect(try database.identifiers() == [token(2, 1)])
        #expect(try database.read { try $0.quarantineCount() } == 1)
        let kept = try #require(try file.raw { try Row.fetchOne($0, sql: "SELECT * FROM quarantine") })
        #expect(kept["class"] == "genp")
        #expect(kept["reason"] == "why")
        #expect(kept["moved"] == 99)
        #expect(kept["secret"] == row(1).sealedSecret.map { Data($0) })
        #expect(kept["itemkey"] == Data(token(1, 5)))
        #expect(kept["attributes"] == Data(token(1, 4)))
        #expect(kept["persistref"] == Data(token(1, 1)))
    }

    @Test("changes of synchronizable rows are numbered through every table; other rows take no number")
    func changeSequence() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { try $0.insert(row(1, sync: true)) }
        try database.write { try $0.insert(row(2)) }
        try database.write { try $0.insert(row(3, in: .internetPassword, sync: true)) }
        try database.write { try $0.insert(row(4, in: .certificate, sync: true)) }
        try database.write { try $0.insert(row(5, in: .key, sync: true)) }
        try database.write { writer in
            for var row in try writer.reader.rows(
                matching: RowFilter(itemClass: .genericPassword), limit: 1, withSecret: true)
            {
                row.primaryKey = token(1, 3)
                try writer.update(row)
            }
        }
        let numbers = try file.raw { db in
            try allTables.flatMap {
                try Int64.fetchAll(db, sql: "SELECT change FROM \($0.rawValue) ORDER BY rowid")
            }
        }
        #expect(numbers == [5, 0, 2, 3, 4])
    }
}
