import LatchkeyItemModel

/// A statement that searches for rows. Every value is bound, including the limit, so that a few statements serve all
/// searches.
struct RowSelection {
    /// Everything that the text of the statement depends on. Comparing forms is cheaper than writing the text.
    struct Form: Hashable {
        let itemClass: ItemClass
        let content: Content
        let index: Index?
        let isOfOneRow: Bool
        let conditions: [RowCondition]
    }

    /// The columns that are read.
    enum Content {
        /// The row numbers alone.
        case numbers
        case attributes
        case attributesAndSecret
    }

    /// An index to use where SQLite would choose one that is in row order but may contain every row of the keychain,
    /// such as those for an account or a label.
    enum Index: String {
        case place
        case publicKeyHash = "pkhh"
    }

    let form: Form
    private(set) var values: [ColumnValue]

    init(_ filter: RowFilter, after rowID: Int64, limit: Int, _ content: Content) {
        // Also after 0, the first page: no version gives a row such a number or a lower one, and in a file that an
        // attacker has altered, pages would begin anew behind it.
        let conditions = RowConditions(filter, after: rowID)
        form = Form(
            itemClass: filter.itemClass, content: content, index: Index(for: filter), isOfOneRow: limit == 1,
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
        var source = table + (index.map { " INDEXED BY " + table + "_" + $0.rawValue } ?? "")
        // The rows are looked up by their numbers, in their order.
        if conditions.contains(.numbers) { source += " NOT INDEXED" }
        let start =
            switch content {
            case .numbers: "SELECT rowid FROM "
            case .attributes: Self.columns + ", NULL FROM "
            case .attributesAndSecret: Self.columns + ", secret FROM "
            }
        guard takesMinimum else { return start + source + conditions.sql + " ORDER BY rowid LIMIT ?" }
        return start + table + " WHERE rowid = (SELECT min(rowid) FROM " + source + conditions.sql + ")"
    }
}

extension RowSelection.Index {
    init?(for filter: RowFilter) {
        if filter.numbers != nil { return nil }
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
