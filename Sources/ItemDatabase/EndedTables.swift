import LatchkeyItemModel

@_implementationOnly import GRDB

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

    /// The statements of the migration. Rows that ended under a former format lie in `quarantine` and come over,
    /// without their search tokens, which were not kept there.
    static func create(_ db: Database) throws {
        for schema in ItemSchema.all {
            let table = schema.itemClass.rawValue
            let tokens = schema.attributes.map { "\(ItemTables.tokenColumn($0.name)) BLOB" }.joined(separator: ", ")
            try db.execute(
                sql: """
                    CREATE TABLE ended_\(table) (
                        rowid INTEGER PRIMARY KEY,
                        agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
                        cdat INTEGER NOT NULL, mdat INTEGER NOT NULL, persistref BLOB NOT NULL,
                        \(tokens),
                        reason TEXT NOT NULL, ended INTEGER NOT NULL, noticed INTEGER NOT NULL, met INTEGER NOT NULL
                    );
                    CREATE INDEX ended_\(table)_group ON ended_\(table) (agrp);
                    CREATE INDEX \(table)_passcode ON \(table) (agrp) WHERE pdmn = 12;
                    INSERT INTO ended_\(table)
                        (agrp, pdmn, sync, tomb, cdat, mdat, persistref, reason, ended, noticed, met)
                    SELECT agrp, pdmn, sync, tomb, cdat, mdat, persistref,
                        CASE reason WHEN 'the key of its protection class no longer exists' THEN 'passcode-removed'
                        WHEN 'its key in the enclave was deleted' THEN 'key-deleted' ELSE 'fingers-changed' END,
                        moved, 1, 1
                    FROM quarantine WHERE class = '\(table)' AND \(formerReasons) ORDER BY id;
                    """)
        }
        try db.execute(
            sql: """
                DELETE FROM quarantine WHERE \(formerReasons);
                CREATE TABLE fingerchanges (at INTEGER PRIMARY KEY);
                """)
    }

    private static let formerReasons = """
        reason IN ('the key of its protection class no longer exists', 'its key in the enclave was deleted', \
        'the fingers it was for are no longer those that are enrolled')
        """

    /// Copies the rows that fulfil a condition into the table of those that ended.
    static func copy(_ schema: ItemSchema, where condition: String) -> String {
        let columns = keptColumns(of: schema).joined(separator: ", ")
        return """
            INSERT OR REPLACE INTO \(name(of: schema.itemClass)) (\(columns), reason, ended, noticed, met)
            SELECT \(columns), ?, ?, ?, 0 FROM \(schema.itemClass.rawValue) WHERE \(condition)
            """
    }
}
