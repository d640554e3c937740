import LatchkeyItemModel

/// A statement that searches for rows. Every value is bound, including the limit, so that a few statements serve all
/// searches.
struct RowSelection {
    /// Everything that the text of the statement depends on. Comparing forms is cheaper than writing the text.
    struct Form: Hashable {
        let itemClass: ItemClass
        let withSecret: Bool
        let index: Index?
        let isOfOneRow: Bool
        let conditions: [RowCondition]
    }

    /// An index to use where SQLite would choose one that is in row order but may contain every row of the keychain,
    /// such as those for an account or a label.
    enum Index: String {
        case place
        case publicKeyHash = "pkhh"
    }

    let form: Form
    private(set) var values: [ColumnValue]

    init(_ filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool) {
        let conditions = RowConditions(filter, after: rowID)
        form = Form(
            itemClass: filter.itemClass, withSecret: withSecret, index: Index(for: filter), isOfOneRow: limit == 1,
            conditions: conditions.forms)
        values = conditions.values
        if !form.takesMinimum { values.append(.integer(Int64(limit))) }
    }
}

extension RowSelection.Form {
    private static let columns = "SELECT " + ItemTables.fixedColumns.joined(separator: ", ")

    /// The index finds few rows, in another order. Sorting them would need a temporary table for each call; the minimum
    /// of the row numbers does not.
    fileprivate var takesMinimum: Bool { isOfOneRow && index != nil }

    var sql: String {
        let table = itemClass.rawValue
        let source = table + (index.map { " INDEXED BY " + table + "_" + $0.rawValue } ?? "")
        let start = Self.columns + (withSecret ? ", secret FROM " : ", NULL FROM ")
        guard takesMinimum else { return start + source + conditions.sql + " ORDER BY rowid LIMIT ?" }
        return start + table + " WHERE rowid = (SELECT min(rowid) FROM " + source + conditions.sql + ")"
    }
}

extension RowSelection.Index {
    init?(for filter: RowFilter) {
        // SQLite refuses an index for a condition that is always false.
        if filter.accessGroups?.isEmpty == true { return nil }
        let hasPlace = filter.accessGroups != nil && filter.hasTokens(for: ItemTables.place(of: filter.itemClass))
        switch filter.itemClass {
        case .genericPassword, .internetPassword, .certificate:
            if hasPlace {
                self = .place
            } else if filter.itemClass == .certificate, filter.hasTokens(for: [.publicKeyHash]) {
                self = .publicKeyHash
            } else {
                return nil
            }
        case .key:
            // Two items hardly ever have the same key hash.
            guard filter.accessGroups != nil, filter.hasTokens(for: [.applicationLabel]) else { return nil }
            self = .place
        case .identity:
            return nil
        }
    }
}
