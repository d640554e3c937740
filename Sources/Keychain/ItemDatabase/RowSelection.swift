import LatchkeyItemModel

/// A statement that searches for rows. Every value is bound, including the limit, so that a few statements serve all
/// searches.
struct RowSelection {
    private(set) var sql: String
    private(set) var values: [ColumnValue] = []

    private static let columns = "SELECT " + ItemTables.fixedColumns.joined(separator: ", ")

    init(_ filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool) {
        let table = filter.itemClass.rawValue
        sql = Self.columns
        sql.reserveCapacity(640)
        values.reserveCapacity(8)
        sql += withSecret ? ", secret FROM " : ", NULL FROM "
        sql += table
        let index = Self.index(for: filter).map { " INDEXED BY " + $0 } ?? ""
        if limit == 1, !index.isEmpty {
            // The index finds few rows, in another order. Sorting them would need a temporary table for each call; the
            // minimum of the row numbers does not.
            sql += " WHERE rowid = (SELECT min(rowid) FROM " + table + index
            addConditions(filter, after: rowID)
            sql += ")"
        } else {
            sql += index
            addConditions(filter, after: rowID)
            sql += " ORDER BY rowid LIMIT ?"
            values.append(.integer(Int64(limit)))
        }
    }

    /// Selects the rows of ended items, those that ended last first.
    init(ended filter: RowFilter, limit: Int) {
        sql = "SELECT agrp, cdat, reason, ended, noticed, met FROM " + EndedTables.name(of: filter.itemClass)
        addConditions(filter, after: 0)
        sql += " ORDER BY ended DESC, rowid DESC LIMIT ?"
        values.append(.integer(Int64(limit)))
    }

    /// Marks matching rows of ended items that no search has met before.
    init(marksEnded filter: RowFilter) {
        sql = "UPDATE " + EndedTables.name(of: filter.itemClass) + " SET met = 1"
        addConditions(filter, after: 0)
        // Always true: every filter has a condition on tombstones.
        sql += (sql.contains(" WHERE ") ? " AND" : " WHERE") + " met = 0"
    }

    /// Returns the index to use where SQLite would choose one that is in row order but may contain every row of the
    /// keychain, such as those for an account or a label.
    private static func index(for filter: RowFilter) -> String? {
        // SQLite refuses an index for a condition that is always false.
        if filter.accessGroups?.isEmpty == true { return nil }
        let table = filter.itemClass.rawValue
        let hasGroups = filter.accessGroups != nil
        switch filter.itemClass {
        case .genericPassword, .internetPassword, .certificate:
            if hasGroups, filter.hasTokens(for: ItemTables.place(of: filter.itemClass)) { return table + "_place" }
            return filter.itemClass == .certificate && filter.hasTokens(for: [.publicKeyHash]) ? table + "_pkhh" : nil
        case .key:
            // Two items hardly ever have the same key hash.
            return hasGroups && filter.hasTokens(for: [.applicationLabel]) ? table + "_place" : nil
        case .identity:
            return nil
        }
    }

    private mutating func addConditions(_ filter: RowFilter, after rowID: Int64) {
        var joint = " WHERE "
        func add(_ term: String, to selection: inout RowSelection) {
            selection.sql += joint
            selection.sql += term
            joint = " AND "
        }
        func require(_ column: String, _ value: ColumnValue, in selection: inout RowSelection) {
            add(column, to: &selection)
            selection.sql += " = ?"
            selection.values.append(value)
        }
        if rowID > 0 {
            add("rowid > ?", to: &self)
            values.append(.integer(rowID))
        }
        if let groups = filter.accessGroups {
            let marks = groups.count == 1 ? "?" : Array(repeating: "?", count: groups.count).joined(separator: ",")
            add("agrp IN (\(marks))", to: &self)
            for group in groups { values.append(.text(group)) }
        }
        for (group, items) in filter.adoptedItems.sorted(by: { $0.key < $1.key }) {
            add("NOT (agrp = ? AND (rowid > ? OR mdat > ?))", to: &self)
            values += [.text(group), .integer(items.lastRow), .integer(items.lastChange)]
        }
        if let identifier = filter.identifier {
            add("rowid IN (?, (SELECT number FROM otherrefs WHERE class = ? AND persistref = ?))", to: &self)
            values.append(.integer(PersistentReference.row(ofIdentifier: identifier)))
            values.append(.text(filter.itemClass.rawValue))
            values.append(.bytes(identifier))
            require("persistref", .bytes(identifier), in: &self)
        }
        if let rowID = filter.rowID { require("rowid", .integer(rowID), in: &self) }
        if let sync = filter.isSynchronizable { add(sync ? "sync = 1" : "sync = 0", to: &self) }
        if let tombstone = filter.isTombstone { add(tombstone ? "tomb = 1" : "tomb = 0", to: &self) }
        if let keyClass = filter.keyClass { require("pdmn", .integer(Int64(keyClass)), in: &self) }
        if let date = filter.creationDate { require("cdat", .integer(date), in: &self) }
        if let date = filter.modificationDate { require("mdat", .integer(date), in: &self) }
        for (name, token) in filter.tokens { require(ItemTables.tokenColumn(name), .bytes(token), in: &self) }
    }
}
