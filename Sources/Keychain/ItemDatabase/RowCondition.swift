import LatchkeyItemModel

/// The form of one condition on rows. Its values are bound, so statements whose conditions have the same forms have the
/// same text.
enum RowCondition: Hashable {
    case after
    case groups(count: Int)
    /// Excludes the rows of one group that were not adopted.
    case adoptedItems
    case identifier
    case number
    case numbers
    case isSynchronizable(Bool)
    case isTombstone(Bool)
    case keyClass
    case creationDate
    case modificationDate
    case token(AttributeName)

    /// One text for every count: the first number is repeated.
    private static let anyNumber =
        "rowid IN (" + [String](repeating: "?", count: RowFilter.numberLimit).joined(separator: ",") + ")"

    var sql: String {
        switch self {
        case .after: "rowid > ?"
        case .groups(let count): "agrp IN (\(Array(repeating: "?", count: count).joined(separator: ",")))"
        case .adoptedItems: "NOT (agrp = ? AND (rowid > ? OR mdat > ?))"
        case .identifier:
            "rowid IN (?, (SELECT number FROM otherrefs WHERE class = ? AND persistref = ?)) AND persistref = ?"
        case .number: "rowid = ?"
        case .numbers: Self.anyNumber
        case .isSynchronizable(let truth): truth ? "sync = 1" : "sync = 0"
        case .isTombstone(let truth): truth ? "tomb = 1" : "tomb = 0"
        case .keyClass: "pdmn = ?"
        case .creationDate: "cdat = ?"
        case .modificationDate: "mdat = ?"
        case .token(let name): ItemTables.tokenColumn(name) + " = ?"
        }
    }
}

/// The conditions of a search: their forms, and their values in the order of the forms.
struct RowConditions {
    private(set) var forms: [RowCondition] = []
    private(set) var values: [ColumnValue] = []

    /// - Parameter rowID: only rows with higher numbers match; nil for all.
    init(_ filter: RowFilter, after rowID: Int64? = nil) {
        forms.reserveCapacity(8)
        values.reserveCapacity(8)
        if let rowID { require(.after, .integer(rowID)) }
        if let groups = filter.accessGroups {
            forms.append(.groups(count: groups.count))
            for group in groups { values.append(.text(group)) }
        }
        if !filter.adoptedItems.isEmpty { requireAdoption(filter.adoptedItems) }
        if let identifier = filter.identifier {
            forms.append(.identifier)
            values += [
                .integer(PersistentReference.row(ofIdentifier: identifier)), .text(filter.itemClass.rawValue),
                .bytes(identifier), .bytes(identifier),
            ]
        }
        if let rowID = filter.rowID { require(.number, .integer(rowID)) }
        if let numbers = filter.numbers {
            precondition((1...RowFilter.numberLimit).contains(numbers.count), "not as many numbers as a statement has")
            forms.append(.numbers)
            values += numbers.map { .integer($0) }
            values += repeatElement(
                .integer(numbers[numbers.startIndex]), count: RowFilter.numberLimit - numbers.count)
        }
        if let sync = filter.isSynchronizable { forms.append(.isSynchronizable(sync)) }
        if let tombstone = filter.isTombstone { forms.append(.isTombstone(tombstone)) }
        if let keyClass = filter.keyClass { require(.keyClass, .integer(Int64(keyClass))) }
        if let date = filter.creationDate { require(.creationDate, .integer(date)) }
        if let date = filter.modificationDate { require(.modificationDate, .integer(date)) }
        for (name, token) in filter.tokens { require(.token(name), .bytes(token)) }
    }

    private mutating func requireAdoption(_ adopted: [String: AdoptedItems]) {
        for (group, items) in adopted.sorted(by: { $0.key < $1.key }) {
            forms.append(.adoptedItems)
            values += [.text(group), .integer(items.lastRow), .integer(items.lastChange)]
        }
    }

    private mutating func require(_ form: RowCondition, _ value: ColumnValue) {
        forms.append(form)
        values.append(value)
    }
}

extension [RowCondition] {
    /// Begins with " WHERE "; empty if there are no conditions.
    var sql: String { isEmpty ? "" : " WHERE " + map(\.sql).joined(separator: " AND ") }
}
