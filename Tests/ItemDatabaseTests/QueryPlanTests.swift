import ItemDatabase
import ItemModel
import Testing

/// A find must not slow down with the number of items: the searches that apps make go through an index.
@Suite struct QueryPlanTests {
    private struct Search: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let itemClass: ItemClass
        let index: String
        let change: @Sendable (inout RowFilter) -> Void
    }

    private static let anyToken = [UInt8](repeating: 1, count: 16)

    private static let searches = [
        Search(testDescription: "service and account", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [("acct", anyToken), ("svce", anyToken)]
        },
        Search(testDescription: "service alone", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [("svce", anyToken)]
        },
        Search(testDescription: "service and account in three groups", itemClass: .genericPassword, index: "genp_place")
        {
            $0.accessGroups = ["g", "h", "i"]
            $0.tokens = [("acct", anyToken), ("svce", anyToken)]
        },
        Search(testDescription: "account alone", itemClass: .genericPassword, index: "genp_acct") {
            $0.accessGroups = ["g"]
            $0.tokens = [("acct", anyToken)]
        },
        Search(testDescription: "account alone in every group", itemClass: .genericPassword, index: "genp_acct") {
            $0.tokens = [("acct", anyToken)]
        },
        Search(testDescription: "a group alone", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
        },
        Search(testDescription: "a label", itemClass: .genericPassword, index: "genp_labl") {
            $0.accessGroups = ["g"]
            $0.tokens = [("labl", anyToken)]
        },
        Search(testDescription: "server and account", itemClass: .internetPassword, index: "inet_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [("acct", anyToken), ("srvr", anyToken)]
        },
        Search(testDescription: "server alone", itemClass: .internetPassword, index: "inet_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [("srvr", anyToken)]
        },
        Search(testDescription: "account of a server", itemClass: .internetPassword, index: "inet_acct") {
            $0.accessGroups = ["g"]
            $0.tokens = [("acct", anyToken)]
        },
    ]

    @Test("the search goes through its index", arguments: searches)
    private func index(_ search: Search) throws {
        let database = try DatabaseFile().open()
        var filter = RowFilter(itemClass: search.itemClass)
        filter.isSynchronizable = false
        search.change(&filter)
        let plan = try database.read { try $0.testOnlyQueryPlan(matching: filter, limit: 1) }
        #expect(plan.contains { $0.contains("USING INDEX \(search.index) ") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    private static let direct = [
        Search(testDescription: "a row number", itemClass: .genericPassword, index: "") { $0.rowID = 5 },
        Search(testDescription: "a persistent reference", itemClass: .internetPassword, index: "") {
            $0.identifier = anyToken
        },
    ]

    @Test("a row number and a persistent reference need no index", arguments: direct)
    private func directly(_ search: Search) throws {
        let database = try DatabaseFile().open()
        var filter = RowFilter(itemClass: search.itemClass)
        filter.accessGroups = ["g"]
        search.change(&filter)
        let plan = try database.read { try $0.testOnlyQueryPlan(matching: filter, limit: 1) }
        #expect(plan.contains { $0.contains("USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
    }
}
