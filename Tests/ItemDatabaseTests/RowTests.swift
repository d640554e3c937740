import Foundation
import GRDB
import ItemDatabase
import ItemModel
import Testing

@Suite struct RowTests {
    @Test(
        "a row comes back as it was written, in both tables", arguments: [ItemClass.genericPassword, .internetPassword])
    func roundTrip(_ itemClass: ItemClass) throws {
        let database = try DatabaseFile().open()
        let written = row(7, in: itemClass, group: "group", keyClass: 9, sync: true, tokens: ["acct": token(1, 9)])
        let rowID = try database.write { try $0.insert(written) }
        let found = try #require(
            try database.read { try $0.rows(matching: RowFilter(itemClass: itemClass), limit: 2, withSecret: true) }
                .first)
        #expect(found.rowID == rowID)
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

    @Test("rows come in the order they were added, in pages without gap or repetition")
    func order() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in for number in [5, 3, 9, 1, 7] { try writer.insert(row(number)) } }
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

    @Test("a row number is never used again")
    func rowNumbers() throws {
        let database = try DatabaseFile().open()
        let first = try database.write { try $0.insert(row(1)) }
        try database.write { writer in
            let found = try writer.reader.rows(
                matching: RowFilter(itemClass: .genericPassword), limit: 1, withSecret: false)
            for row in found { try writer.delete(row) }
        }
        let second = try database.write { try $0.insert(row(2)) }
        #expect(second > first)
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
        Filtering(testDescription: "a row number", numbers: [2]) { $0.rowID = 2 },
        Filtering(testDescription: "a token", numbers: [1, 3]) { $0.tokens = [("acct", token(1, 9))] },
        Filtering(testDescription: "two tokens", numbers: [3]) {
            $0.tokens = [("acct", token(1, 9)), ("svce", token(2, 9))]
        },
        Filtering(testDescription: "the same token in another column", numbers: []) {
            $0.tokens = [("labl", token(1, 9))]
        },
    ]

    @Test("each part of a filter counts", arguments: filterings)
    private func filters(_ filtering: Filtering) throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.insert(row(1, tokens: ["acct": token(1, 9)]))
            try writer.insert(row(2, sync: true))
            try writer.insert(row(3, group: "h", keyClass: 8, tokens: ["acct": token(1, 9), "svce": token(2, 9)]))
            try writer.insert(row(4, tokens: ["acct": token(4, 9)]))
            try writer.insert(row(5, tombstone: true))
        }
        var filter = RowFilter(itemClass: .genericPassword)
        filtering.change(&filter)
        #expect(try database.identifiers(filter) == filtering.numbers.map { token($0, 1) })
    }

    @Test("an update writes every column and keeps the row number")
    func update() throws {
        let database = try DatabaseFile().open()
        let rowID = try database.write { try $0.insert(row(1, tokens: ["acct": token(1, 9)])) }
        var changed = row(2, group: "h", tokens: ["svce": token(2, 9)])
        changed.rowID = rowID
        let update = changed
        try database.write { try $0.update(update) }
        var filter = RowFilter(itemClass: .genericPassword)
        filter.tokens = [("svce", token(2, 9))]
        let found = try database.read { try $0.rows(matching: filter, limit: 9, withSecret: false) }
        #expect(found.map(\.rowID) == [rowID])
        #expect(found.first?.accessGroup == "h")
        filter.tokens = [("acct", token(1, 9))]
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

    @Test("changes of synchronizable rows are numbered through both tables; other rows take no number")
    func changeSequence() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { try $0.insert(row(1, sync: true)) }
        try database.write { try $0.insert(row(2)) }
        try database.write { try $0.insert(row(3, in: .internetPassword, sync: true)) }
        try database.write { writer in
            for var row in try writer.reader.rows(
                matching: RowFilter(itemClass: .genericPassword), limit: 1, withSecret: true)
            {
                row.primaryKey = token(1, 3)
                try writer.update(row)
            }
        }
        let numbers = try file.raw { db in
            try Int64.fetchAll(db, sql: "SELECT change FROM genp ORDER BY rowid")
                + Int64.fetchAll(db, sql: "SELECT change FROM inet ORDER BY rowid")
        }
        #expect(numbers == [3, 0, 2])
    }
}
