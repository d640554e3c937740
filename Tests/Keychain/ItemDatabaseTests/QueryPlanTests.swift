import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// A find must not slow down with the number of items: the searches that apps make go through an index.
@Suite struct QueryPlanTests {
    private struct Search: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let itemClass: ItemClass
        let index: String
        let change: @Sendable (inout RowFilter) -> Void

        var filter: RowFilter {
            var filter = RowFilter(itemClass: itemClass)
            filter.isSynchronizable = false
            change(&filter)
            return filter
        }
    }

    private static let anyToken = [UInt8](repeating: 1, count: 16)

    private static let searches = [
        Search(testDescription: "service and account", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.account, anyToken), (.service, anyToken)]
        },
        Search(testDescription: "service alone", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.service, anyToken)]
        },
        Search(testDescription: "service and account in three groups", itemClass: .genericPassword, index: "genp_place")
        {
            $0.accessGroups = ["g", "h", "i"]
            $0.tokens = [(.account, anyToken), (.service, anyToken)]
        },
        Search(testDescription: "account alone", itemClass: .genericPassword, index: "genp_acct") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.account, anyToken)]
        },
        Search(testDescription: "account alone in every group", itemClass: .genericPassword, index: "genp_acct") {
            $0.tokens = [(.account, anyToken)]
        },
        Search(testDescription: "a group alone", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g"]
        },
        Search(testDescription: "a place, adopted items alone", itemClass: .genericPassword, index: "genp_place") {
            $0.accessGroups = ["g", "h"]
            $0.adoptedItems = ["h": AdoptedItems(lastRow: 1, lastChange: 1)]
            $0.tokens = [(.account, anyToken), (.service, anyToken)]
        },
        Search(testDescription: "a label", itemClass: .genericPassword, index: "genp_labl") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.label, anyToken)]
        },
        Search(testDescription: "server and account", itemClass: .internetPassword, index: "inet_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.account, anyToken), (.server, anyToken)]
        },
        Search(testDescription: "server alone", itemClass: .internetPassword, index: "inet_place") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.server, anyToken)]
        },
        Search(testDescription: "account of a server", itemClass: .internetPassword, index: "inet_acct") {
            $0.accessGroups = ["g"]
            $0.tokens = [(.account, anyToken)]
        },
    ]

    @Test("the search goes through its index", arguments: searches)
    private func index(_ search: Search) throws {
        let database = try DatabaseFile().open()
        let filter = search.filter
        let plan = try database.read { try $0.testOnlyQueryPlan(matching: filter, limit: 1) }
        #expect(plan.contains { $0.contains("USING INDEX \(search.index) ") }, "\(plan)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    private struct KeySearch: Sendable, CustomTestStringConvertible {
        let itemClass: ItemClass
        let names: [AttributeName]
        let index: String
        var groups = ["g"]

        var testDescription: String {
            "\(itemClass.rawValue) by \(names.map(\.rawValue).joined(separator: ", ")), \(groups.count) groups"
        }
    }

    private static let keySearches = [
        KeySearch(itemClass: .key, names: [.applicationLabel], index: "keys_place"),
        KeySearch(itemClass: .key, names: [.applicationLabel], index: "keys_place", groups: ["g", "h", "i"]),
        KeySearch(itemClass: .key, names: [.applicationLabel, .keyClass, .isPrivate], index: "keys_place"),
        KeySearch(itemClass: .key, names: [.applicationLabel, .keyClass, .type, .keySizeInBits], index: "keys_place"),
        KeySearch(itemClass: .key, names: [.applicationLabel, .label], index: "keys_place"),
        KeySearch(itemClass: .key, names: [.applicationLabel, .applicationTag], index: "keys_place"),
        KeySearch(itemClass: .key, names: [.applicationTag], index: "keys_atag"),
        KeySearch(itemClass: .key, names: [.applicationTag], index: "keys_atag", groups: ["g", "h", "i"]),
        KeySearch(itemClass: .key, names: [.applicationTag, .keyClass, .type], index: "keys_atag"),
        KeySearch(itemClass: .key, names: [.label], index: "keys_labl"),
        KeySearch(itemClass: .key, names: [], index: "keys_place"),
        KeySearch(itemClass: .certificate, names: [.issuer, .serialNumber], index: "cert_place"),
        KeySearch(
            itemClass: .certificate, names: [.issuer, .serialNumber, .certificateType], index: "cert_place",
            groups: ["g", "h"]),
        KeySearch(
            itemClass: .certificate, names: [.issuer, .serialNumber, .publicKeyHash, .label], index: "cert_place"),
        KeySearch(itemClass: .certificate, names: [.issuer], index: "cert_place"),
        KeySearch(itemClass: .certificate, names: [.serialNumber], index: "cert_slnr"),
        KeySearch(itemClass: .certificate, names: [.subject], index: "cert_subj"),
        KeySearch(itemClass: .certificate, names: [.subjectKeyID], index: "cert_skid"),
        KeySearch(itemClass: .certificate, names: [.label], index: "cert_labl"),
        KeySearch(itemClass: .certificate, names: [.publicKeyHash], index: "cert_pkhh"),
        KeySearch(
            itemClass: .certificate, names: [.publicKeyHash, .label], index: "cert_pkhh", groups: ["g", "h", "i"]),
        KeySearch(itemClass: .certificate, names: [], index: "cert_place"),
    ]

    @Test("keys and certificates are found through an index, among 10,000 too")
    func keysAndCertificates() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            for number in 0..<10_000 {
                let all = [AttributeName.label, .subject, .subjectKeyID, .publicKeyHash].map { ($0, token(number, 30)) }
                try writer.insert(row(number, in: .certificate, tokens: Dictionary(uniqueKeysWithValues: all)))
                try writer.insert(row(number, in: .key, tokens: [.label: token(number, 30), .keyClass: token(1, 31)]))
            }
        }
        for search in Self.keySearches {
            var filter = RowFilter(itemClass: search.itemClass)
            filter.isSynchronizable = false
            filter.accessGroups = search.groups
            filter.tokens = search.names.map { ($0, Self.anyToken) }
            let plan = try database.read { try $0.testOnlyQueryPlan(matching: filter, limit: 1) }
            #expect(plan.contains { $0.contains("USING INDEX \(search.index) ") }, "\(search): \(plan)")
            #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(search): \(plan)")
        }
        for (name, use) in [
            (AttributeName.issuer, 6), (.serialNumber, 7), (.subject, 30), (.subjectKeyID, 30), (.label, 30),
            (.publicKeyHash, 30),
        ] {
            var filter = RowFilter(itemClass: .certificate)
            filter.accessGroups = ["g"]
            filter.tokens = [(name, token(7777, UInt8(use)))]
            #expect(try database.identifiers(filter) == [token(7777, 1)], "\(name)")
        }
        for (name, use) in [(AttributeName.applicationLabel, 6), (.applicationTag, 7), (.label, 30)] {
            var filter = RowFilter(itemClass: .key)
            filter.accessGroups = ["g"]
            filter.tokens = [(name, token(7777, UInt8(use)))]
            #expect(try database.identifiers(filter) == [token(7777, 1)], "\(name)")
        }
    }

    @Test("pages of a search are looked up by number, and nothing is sorted", arguments: searches)
    private func pages(_ search: Search) throws {
        let database = try DatabaseFile().open()
        var filter = search.filter
        filter.numbers = [3, 5, 8]
        let plan = try database.read { try $0.testOnlyQueryPlan(matching: filter, limit: 3) }
        #expect(
            plan.contains { $0.hasPrefix("SEARCH") && $0.hasSuffix("USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("a program that may see no group finds nothing, whatever is searched", arguments: keySearches)
    private func noGroups(_ search: KeySearch) throws {
        let database = try DatabaseFile().open()
        try database.write { try $0.insert(row(1, in: search.itemClass)) }
        var filter = RowFilter(itemClass: search.itemClass)
        filter.accessGroups = []
        filter.tokens = search.names.map { ($0, Self.anyToken) }
        #expect(try database.identifiers(filter).isEmpty)
    }

    @Test(
        "a reference or a row number beside attributes, or any group at all, spoils no search", arguments: keySearches)
    private func company(_ search: KeySearch) throws {
        let database = try DatabaseFile().open()
        let tokens = Dictionary(uniqueKeysWithValues: search.names.map { ($0, Self.anyToken) })
        try database.write { writer in
            try writer.insert(row(1, in: search.itemClass))
            try writer.insert(row(2, in: search.itemClass, tokens: tokens))
        }
        let changes: [@Sendable (inout RowFilter) -> Void] = [
            { $0.identifier = token(2, 1) }, { $0.rowID = row(2).rowID }, { $0.accessGroups = nil },
        ]
        for change in changes {
            var filter = RowFilter(itemClass: search.itemClass)
            filter.accessGroups = search.groups
            filter.tokens = search.names.map { ($0, Self.anyToken) }
            change(&filter)
            #expect(try database.identifiers(filter).last == token(2, 1))
        }
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
