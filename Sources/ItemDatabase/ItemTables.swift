import GRDB
import ItemModel

/// The tables of `keychain.db`; each byte of them is described in `Docs/Formats/item-database.md`.
enum ItemTables {
    /// Every released version adds a migration; none is ever changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for schema in ItemSchema.all {
                try db.execute(sql: createTable(schema))
                for index in indexes(of: schema) { try db.execute(sql: index) }
            }
            try db.execute(
                sql: """
                    CREATE TABLE metadatakeys (keyclass INTEGER PRIMARY KEY, wrapped BLOB NOT NULL);
                    CREATE TABLE devicekeys (name TEXT PRIMARY KEY, wrapped BLOB NOT NULL);
                    CREATE TABLE quarantine (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, agrp TEXT NOT NULL,
                        pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL, cdat INTEGER NOT NULL,
                        mdat INTEGER NOT NULL, persistref BLOB NOT NULL, uuid BLOB NOT NULL,
                        attributes BLOB NOT NULL, itemkey BLOB, secret BLOB,
                        reason TEXT NOT NULL, moved INTEGER NOT NULL
                    );
                    """)
        }
        return migrator
    }

    private static func createTable(_ schema: ItemSchema) -> String {
        let tokens = schema.attributes.map { "\(tokenColumn($0.name)) BLOB" }.joined(separator: ", ")
        return """
            CREATE TABLE \(schema.itemClass.rawValue) (
                rowid INTEGER PRIMARY KEY AUTOINCREMENT,
                agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
                cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
                persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
                \(tokens),
                attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
            );
            """
    }

    /// Every index costs each durable add a page, so only the searches that apps make have one.
    private static func indexes(of schema: ItemSchema) -> [String] {
        let table = schema.itemClass.rawValue
        let place = schema.itemClass == .internetPassword ? "srvr" : "svce"
        var statements = [
            "CREATE UNIQUE INDEX \(table)_pk ON \(table) (pk)",
            "CREATE UNIQUE INDEX \(table)_persistref ON \(table) (persistref)",
            "CREATE INDEX \(table)_place ON \(table) (agrp, \(tokenColumn(place)), \(tokenColumn("acct")))",
            "CREATE INDEX \(table)_acct ON \(table) (\(tokenColumn("acct")))",
            "CREATE INDEX \(table)_change ON \(table) (change) WHERE sync = 1",
        ]
        for name in ["labl", "gena", "type", "alis"] where schema[name] != nil {
            let column = tokenColumn(name)
            statements.append("CREATE INDEX \(table)_\(name) ON \(table) (\(column)) WHERE \(column) IS NOT NULL")
        }
        return statements
    }

    static func tokenColumn(_ attribute: String) -> String { "t_" + attribute }

    /// The columns of a row in the order in which statements name and read them; the large ones last.
    static let fixedColumns = [
        "rowid", "agrp", "pdmn", "sync", "tomb", "cdat", "mdat", "persistref", "uuid", "attributes", "itemkey",
    ]
}
