import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

@Suite("Pages of a search")
struct RowPagesTests {
    private static func all(
        _ database: ItemDatabase, _ limit: Int, between: (Int, [Int64]) throws -> Void = { _, _ in }
    ) throws
        -> [Int64]
    {
        var filter = RowFilter(itemClass: .genericPassword)
        filter.accessGroups = ["g"]
        var (pages, found, count) = (RowPages(filter), [Int64](), 0)
        while !pages.isAtEnd {
            let page = try pages.next(limit, withSecret: false, from: database)
            #expect(page.count <= limit)
            found += page.map(\.rowID)
            try between(count, page.map(\.rowID))
            count += 1
        }
        return found
    }

    @Test("every row is in one page, in row order", arguments: [0, 1, 7, 256, 257, 600], [1, 7, 256, 1000])
    func complete(_ count: Int, _ limit: Int) throws {
        let database = try DatabaseFile().open()
        // Tokens in another order than the rows.
        try database.write { writer in
            for number in 0..<count { try writer.insert(row(count - number, rowID: Int64(number + 1))) }
            try writer.insert(row(count + 1, group: "other", rowID: Int64(count + 1)))
        }
        #expect(try Self.all(database, limit) == (0..<count).map { Int64($0 + 1) })
    }

    @Test("while others write, a row that stays is in one page, and a row that goes is in none after that")
    func whileOthersWrite() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in for number in 1...900 { try writer.insert(row(number)) } }
        var deleted: Set<Int64> = []
        let found = try Self.all(database, 100) { page, found in
            #expect(deleted.isDisjoint(with: found), "page \(page)")
            try database.write { writer in
                // One row of each page that was read, and of each that was not.
                for number in stride(from: page + 1, through: 900, by: 100) {
                    try writer.delete(row(number))
                    deleted.insert(row(number).rowID)
                }
                try writer.insert(row(1000 + page))
                var changed = row(99 + 100 * (page % 9))
                changed.modificationDate += 5
                try writer.update(changed)
            }
        }
        let old = found.filter { $0 <= row(900).rowID }
        #expect(Set(old).count == old.count && old == old.sorted())
        let stayed = Set((1...900).map { row($0).rowID }).subtracting(deleted)
        #expect(stayed.isSubset(of: old))
    }

    @Test("of one state, every page has the rows of that state, however others write")
    func steady() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in for number in 1...900 { try writer.insert(row(number)) } }
        let state = try database.steadyRows()
        var filter = RowFilter(itemClass: .genericPassword)
        filter.accessGroups = ["g"]
        var (pages, page, found) = (RowPages(filter), 0, [ItemRow]())
        while !pages.isAtEnd {
            found += try pages.next(100, withSecret: true, from: state)
            try database.write { [page] writer in
                for number in 1...900 where number % 9 == page {
                    // Deleted and added again, as programs replace their items.
                    try writer.delete(row(number))
                    var again = row(number, rowID: Int64(10_000 + number))
                    again.modificationDate += 5
                    try writer.insert(again)
                }
                try writer.insert(row(1000 + page))
            }
            page += 1
        }
        #expect(found.map(\.rowID) == (1...900).map { row($0).rowID })
        #expect(found.map(\.modificationDate) == (1...900).map { row($0).modificationDate })
        // A state is that of its first read, and the present one shows all changes.
        #expect(try database.steadyRows().rowNumbers(matching: filter, after: 0).count == 909)
    }

    /// No version gives such numbers: an attacker has altered the file.
    @Test("a row of the number 0 or less is in no page, and the pages come to their end", arguments: 1...10)
    func belowOne(_ limit: Int) throws {
        let database = try DatabaseFile().open()
        try database.write { writer in for number in -4...4 { try writer.insert(row(number + 9, rowID: Int64(number))) }
        }
        #expect(try Self.all(database, limit) == [1, 2, 3, 4])
    }
}
