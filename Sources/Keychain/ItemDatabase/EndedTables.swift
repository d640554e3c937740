import LatchkeyItemModel

/// The tables of ended items: `ended_CLASS` for each table of items, with the columns that a search tests. They contain
/// no attributes and no secrets, because the keys of those are destroyed.
enum EndedTables {
    /// The number of rows that each table keeps. The oldest rows are deleted first.
    static let rowLimit: Int64 = 10_000

    static func name(of itemClass: ItemClass) -> String { "ended_" + itemClass.rawValue }

    private static func keptColumns(of schema: ItemSchema) -> [String] {
        [
            "rowid", "agrp", "pdmn", "sync", "tomb", "cdat", "mdat", "persistref",
        ] + schema.searchable.map { ItemTables.tokenColumn($0) }
    }

    /// Copies the rows that meet a condition into the table of ended items.
    static func copy(_ schema: ItemSchema, where condition: String) -> String {
        let columns = keptColumns(of: schema).joined(separator: ", ")
        return """
            INSERT OR REPLACE INTO \(name(of: schema.itemClass)) (\(columns), reason, ended, noticed, met)
            SELECT \(columns), ?, ?, ?, 0 FROM \(schema.itemClass.rawValue) WHERE \(condition)
            """
    }
}
