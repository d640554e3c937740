import LatchkeyItemModel

/// The tables of items that ended on purpose: `ended_CLASS` beside each table of items, with the columns that a search
/// tests. They hold neither attributes nor secrets, because no key opens those any more.
enum EndedTables {
    /// How many rows each table keeps; the oldest go first.
    static let rowLimit: Int64 = 10_000

    static func name(of itemClass: ItemClass) -> String { "ended_" + itemClass.rawValue }

    private static func keptColumns(of schema: ItemSchema) -> [String] {
        [
            "rowid", "agrp", "pdmn", "sync", "tomb", "cdat", "mdat", "persistref",
        ] + schema.attributes.map { ItemTables.tokenColumn($0.name) }
    }

    /// Copies the rows that fulfil a condition into the table of those that ended.
    static func copy(_ schema: ItemSchema, where condition: String) -> String {
        let columns = keptColumns(of: schema).joined(separator: ", ")
        return """
            INSERT OR REPLACE INTO \(name(of: schema.itemClass)) (\(columns), reason, ended, noticed, met)
            SELECT \(columns), ?, ?, ?, 0 FROM \(schema.itemClass.rawValue) WHERE \(condition)
            """
    }
}
