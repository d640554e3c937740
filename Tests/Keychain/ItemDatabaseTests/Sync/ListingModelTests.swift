import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// Names, rows and changes stay in step over random statements: the database is compared with a model that has no tables.
@Suite struct ListingModelTests {
    @Test("after each of two hundred random statements the database has what the model has", arguments: 0..<24)
    func random(_ seed: UInt64) throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        var model = ListingModel(seed: seed)
        for step in 0..<200 {
            let statement = model.next()
            try database.write(statement.body)
            let found = try database.read { try ListingModel.State($0) }
            guard found == model.state else {
                Issue.record("step \(step), \(statement.name): \(found)\nexpected \(model.state)")
                return
            }
        }
        for (rule, query) in Self.contradictions {
            #expect(try file.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM (\(query))") } == 0, "\(rule)")
        }
    }

    /// Queries for rows that contradict a rule.
    private static let contradictions = [
        "a row has one name": """
        SELECT 1 FROM (
            SELECT class, number FROM syncitems UNION ALL SELECT class, rownumber FROM syncchanges
        ) WHERE class IS NOT NULL GROUP BY class, number HAVING count(*) > 1
        """,
        "a name has one row":
            "SELECT 1 FROM syncchanges JOIN syncitems USING (name) WHERE syncchanges.class IS NOT NULL",
        "a listed row has its name": """
        SELECT name, number FROM (
            SELECT name, class, number FROM syncitems UNION ALL SELECT name, class, rownumber FROM syncchanges
        ) WHERE class IS NOT NULL EXCEPT SELECT syncname, rowid FROM genp
        """,
    ]
}

/// The shared rows of a device with a few accounts. The name of an account is that of its number.
private struct ListingModel {
    struct Row: Equatable {
        let number: Int
        let account: Int
        var isListed = false
        var isUnnamed = false

        var place: RowPlace { RowPlace(.genericPassword, Int64(number)) }

        /// The stored row. Every second account is in another group.
        func stored(_ listing: RowListing = .unlisted(.here)) -> ItemRow {
            var stored = row(account, group: account.isMultiple(of: 2) ? "g" : "h", sync: true, rowID: Int64(number))
            stored.listing = listing
            return stored
        }
    }

    struct State: Equatable {
        var listed: [Int: Int64] = [:]
        var versions: [Int: Int] = [:]
        var changes: [Int: SyncChangeRow.Kind] = [:]
        var named: [Int64: Int] = [:]
        var unshared: [Int64] = []

        init() {}

        init(_ reader: ItemReader) throws {
            let items = try reader.syncItems()
            let names = items.map(\.name)
            #expect(zip(names, names.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
            for account in ListingModel.accounts {
                let name = CircleStage.name(account)
                let item = try reader.syncItem(named: name)
                #expect(items.first { $0.name == name } == item)
                listed[account] = item?.place?.rowID
                versions[account] = item?.known == nil ? nil : account
                changes[account] = try reader.syncChange(of: name)?.kind
            }
            var filter = RowFilter(itemClass: .genericPassword)
            filter.isTombstone = nil
            for row in try reader.rows(matching: filter, limit: 99, withSecret: false) {
                let name = try reader.syncName(of: row.place)
                named[row.rowID] = ListingModel.accounts.first { CircleStage.name($0) == name }
            }
            unshared = try reader.unsharedRows(of: .genericPassword).map(\.rowID)
        }
    }

    typealias Statement = (name: String, body: @Sendable (ItemWriter) throws -> Void)

    static let accounts = 1...6

    private var random: SplitMix
    private var rows: [Row] = []
    private var lastNumber = 0
    private var changes: [Int: SyncChangeRow.Kind] = [:]
    private var versions: Set<Int> = []

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
    }

    var state: State {
        var state = State()
        for row in rows where row.isListed {
            state.listed[row.account] = Int64(row.number)
            state.named[Int64(row.number)] = row.account
        }
        for account in versions { state.versions[account] = account }
        state.changes = changes
        state.unshared = rows.filter { !$0.isListed && !$0.isUnnamed }.map { Int64($0.number) }.sorted()
        return state
    }

    /// Chooses a statement, and does to the model what it does to the database.
    mutating func next() -> Statement {
        let account = Int.random(in: Self.accounts, using: &random)
        let name = CircleStage.name(account)
        let index = rows.firstIndex { $0.account == account }
        switch Int.random(in: 0..<20, using: &random) {
        case 0...8:
            guard let index else { return add(account) }
            return update(index)
        case 9, 10:
            guard let index else { return add(account) }
            return rename(index)
        case 11, 12:
            guard let index else { return add(account) }
            let departure = [RowDeparture.everywhere, .here, .remote].randomElement(using: &random) ?? .here
            let row = rows.remove(at: index)
            end(row, departure)
            return ("delete \(row), \(departure)", { try $0.delete(row.stored(), departure: departure) })
        case 13, 14:
            versions.insert(account)
            return ("version of \(account)", { try $0.setSyncItem(CircleStage.version(account), named: name) })
        case 15:
            versions.remove(account)
            return ("no version of \(account)", { try $0.setSyncItem(nil, named: name) })
        case 16, 17:
            changes[account] = nil
            return ("noted \(account)", { try $0.forgetSyncChange(of: name, upTo: .max) })
        case 18:
            let group = account.isMultiple(of: 2)
            for row in rows where row.account.isMultiple(of: 2) == group { end(row, .here) }
            rows.removeAll { $0.account.isMultiple(of: 2) == group }
            return ("app removed", { _ = try $0.deleteRows(inAccessGroups: [group ? "g" : "h"]) })
        default:
            changes = [:]
            guard Bool.random(using: &random) else {
                return (
                    "renewed",
                    { try $0.renewCircle(as: CircleStage.device, formerly: CircleStage.device, keepsPending: true) }
                )
            }
            versions = []
            for index in rows.indices { (rows[index].isListed, rows[index].isUnnamed) = (false, true) }
            return ("another circle", { try $0.enterCircle(as: CircleStage.device) })
        }
    }

    private mutating func add(_ account: Int) -> Statement {
        lastNumber += 1
        var row = Row(number: lastNumber, account: account)
        let listing = listing(of: account)
        apply(listing, to: &row)
        rows.append(row)
        return ("add \(row), \(listing)", { [row] in try $0.insert(row.stored(listing)) })
    }

    private mutating func update(_ index: Int) -> Statement {
        let listing = listing(of: rows[index].account)
        var row = rows[index]
        if case .unlisted(let departure) = listing { end(row, departure) }
        apply(listing, to: &row)
        rows[index] = row
        return ("update \(row), \(listing)", { [row] in try $0.update(row.stored(listing)) })
    }

    /// The row of an account becomes that of another one, unless this one has a row.
    private mutating func rename(_ index: Int) -> Statement {
        let former = rows[index]
        let free = Self.accounts.filter { account in !rows.contains { $0.account == account } }
        guard let account = free.randomElement(using: &random) else { return update(index) }
        end(former, .everywhere)
        var row = Row(number: former.number, account: account)
        let listing = CircleStage.listing(account)
        apply(listing, to: &row)
        rows[index] = row
        return ("rename \(former) to \(account)", { [row] in try $0.update(row.stored(listing)) })
    }

    private mutating func listing(of account: Int) -> RowListing {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: .unlisted([.everywhere, .here, .remote].randomElement(using: &random) ?? .here)
        case 1: .later(leavesName: false)
        case 2: .remote(name: CircleStage.name(account))
        default: CircleStage.listing(account)
        }
    }

    private mutating func apply(_ listing: RowListing, to row: inout Row) {
        switch listing {
        case .unlisted: (row.isListed, row.isUnnamed) = (false, false)
        case .later:
            // The row is reported when it is named, in place of the change that waits.
            if row.isListed, changes[row.account] == .put { changes[row.account] = nil }
            row.isUnnamed = true
        case .remote: (row.isListed, row.isUnnamed) = (true, false)
        case .listed:
            (row.isListed, row.isUnnamed) = (true, false)
            changes[row.account] = .put
        }
    }

    private mutating func end(_ row: Row, _ departure: RowDeparture) {
        guard row.isListed else { return }
        switch departure {
        case .everywhere: changes[row.account] = .deletedEverywhere
        case .here: changes[row.account] = .deletedHere
        case .remote: break
        }
    }
}
