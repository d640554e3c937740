import LatchkeyItemModel

@_implementationOnly import GRDB

/// The tables of `keychain.db`; each byte of them is described in `Docs/Formats/item-database.md`.
enum ItemTables {
    /// The classes that had tables in the first three formats.
    private static let passwords = [ItemSchema.genericPassword, .internetPassword]

    /// Every released version adds a migration; none is ever changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { db in
            for schema in passwords {
                try db.execute(sql: createTable(schema, numbering: "INTEGER PRIMARY KEY AUTOINCREMENT"))
                for index in firstIndexes(of: schema) { try db.execute(sql: index) }
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
        migrator.registerMigration("2") { db in try leanerRows(db) }
        migrator.registerMigration("3") { db in try db.execute(sql: registries) }
        migrator.registerMigration("4") { db in
            for schema in [ItemSchema.certificate, .key] {
                try db.execute(sql: createTable(schema, numbering: "INTEGER PRIMARY KEY"))
                try db.execute(sql: placeIndex(of: schema.itemClass))
                for index in indexesOfKeysAndCertificates(schema.itemClass) { try db.execute(sql: index) }
            }
        }
        migrator.registerMigration("5") { db in try db.execute(sql: boundRows) }
        migrator.registerMigration("6") { db in try EndedTables.create(db) }
        return migrator
    }

    /// Format 5: each row says whether its attributes are bound to its item key. Those that are there already are not,
    /// until the service seals them anew, which takes keys; the indexes lead to them and to nothing else. The numbers are
    /// those that SQLite stores in no bytes, so that they are read without the long secret before them.
    private static let boundRows = """
        ALTER TABLE genp ADD COLUMN bound INTEGER;
        ALTER TABLE inet ADD COLUMN bound INTEGER;
        ALTER TABLE cert ADD COLUMN bound INTEGER;
        ALTER TABLE keys ADD COLUMN bound INTEGER;
        ALTER TABLE quarantine ADD COLUMN bound INTEGER;
        CREATE INDEX genp_unbound ON genp (pdmn) WHERE bound IS NULL;
        CREATE INDEX inet_unbound ON inet (pdmn) WHERE bound IS NULL;
        CREATE INDEX cert_unbound ON cert (pdmn) WHERE bound IS NULL;
        CREATE INDEX keys_unbound ON keys (pdmn) WHERE bound IS NULL;
        """

    /// Format 2: a durable add writes four pages instead of seven. Row numbers come from the service, persistent
    /// references begin with them, and the primary key is unique through the index of the place.
    private static func leanerRows(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE rownumbers (last INTEGER NOT NULL);
                INSERT INTO rownumbers
                    SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name IN ('genp', 'inet');
                CREATE TABLE otherrefs (
                    class TEXT NOT NULL, persistref BLOB NOT NULL, number INTEGER NOT NULL,
                    PRIMARY KEY (class, persistref)
                ) WITHOUT ROWID;
                """)
        for schema in passwords {
            let table = schema.itemClass.rawValue
            // Its indexes go with it; `INTEGER PRIMARY KEY` can lose its AUTOINCREMENT in a new table only.
            try db.execute(
                sql: """
                    INSERT INTO otherrefs SELECT '\(table)', persistref, rowid FROM \(table);
                    ALTER TABLE \(table) RENAME TO old;
                    \(createTable(schema, numbering: "INTEGER PRIMARY KEY"))
                    INSERT INTO \(table) SELECT * FROM old;
                    DROP TABLE old;
                    """)
            try db.execute(sql: placeIndex(of: schema.itemClass))
            for index in otherIndexes(of: schema) { try db.execute(sql: index) }
        }
    }

    /// Format 3: which teams the device trusts, which apps have used it, and its options.
    private static let registries = """
        CREATE TABLE teams (
            identifier TEXT PRIMARY KEY NOT NULL, key BLOB NOT NULL, name TEXT NOT NULL, trusted INTEGER NOT NULL,
            expires INTEGER, revoked INTEGER
        ) WITHOUT ROWID;
        CREATE TABLE apps (
            application TEXT PRIMARY KEY NOT NULL, team TEXT, level TEXT NOT NULL, groups BLOB NOT NULL,
            digest BLOB NOT NULL, path TEXT NOT NULL, firstseen INTEGER NOT NULL, lastseen INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE TABLE settings (name TEXT PRIMARY KEY NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;
        """

    private static func createTable(_ schema: ItemSchema, numbering: String) -> String {
        let tokens = schema.attributes.map { "\(tokenColumn($0.name)) BLOB" }.joined(separator: ", ")
        return """
            CREATE TABLE \(schema.itemClass.rawValue) (
                rowid \(numbering),
                agrp TEXT NOT NULL, pdmn INTEGER NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL,
                cdat INTEGER NOT NULL, mdat INTEGER NOT NULL,
                persistref BLOB NOT NULL, uuid BLOB NOT NULL, change INTEGER NOT NULL, pk BLOB NOT NULL,
                \(tokens),
                attributes BLOB NOT NULL, itemkey BLOB, secret BLOB
            );
            """
    }

    /// The two parts of the primary key that with the access group tell where an item belongs. The tokens of both are
    /// always set, so that the index of the place finds the one row of a primary key.
    static func place(of itemClass: ItemClass) -> [String] {
        switch itemClass {
        case .genericPassword: ["svce", "acct"]
        case .internetPassword: ["srvr", "acct"]
        case .certificate, .identity: ["issr", "slnr"]
        case .key: ["klbl", "atag"]
        }
    }

    private static func placeIndex(of itemClass: ItemClass) -> String {
        let table = itemClass.rawValue
        let columns = ["agrp"] + place(of: itemClass).map { tokenColumn($0) } + ["pk"]
        return "CREATE UNIQUE INDEX \(table)_place ON \(table) (\(columns.joined(separator: ", ")))"
    }

    private static func firstIndexes(of schema: ItemSchema) -> [String] {
        let table = schema.itemClass.rawValue
        let place = place(of: schema.itemClass).map { tokenColumn($0) }.joined(separator: ", ")
        return [
            "CREATE UNIQUE INDEX \(table)_pk ON \(table) (pk)",
            "CREATE UNIQUE INDEX \(table)_persistref ON \(table) (persistref)",
            "CREATE INDEX \(table)_place ON \(table) (agrp, \(place))",
        ] + otherIndexes(of: schema)
    }

    /// Every index costs each durable add a page, so only the searches that apps make have one.
    private static func otherIndexes(of schema: ItemSchema) -> [String] {
        let table = schema.itemClass.rawValue
        return [
            "CREATE INDEX \(table)_acct ON \(table) (\(tokenColumn("acct")))",
            "CREATE INDEX \(table)_change ON \(table) (change) WHERE sync = 1",
        ] + ["labl", "gena", "type", "alis"].filter { schema[$0] != nil }.map { indexWhereSet($0, table) }
    }

    /// By label, tag, key hash, serial number, subject and key identifier; the first of a place needs no index more.
    private static func indexesOfKeysAndCertificates(_ itemClass: ItemClass) -> [String] {
        let table = itemClass.rawValue
        let (always, whereSet) = itemClass == .key ? ("atag", ["labl"]) : ("slnr", ["labl", "subj", "skid", "pkhh"])
        return [
            "CREATE INDEX \(table)_\(always) ON \(table) (\(tokenColumn(always)))",
            "CREATE INDEX \(table)_change ON \(table) (change) WHERE sync = 1",
        ] + whereSet.map { indexWhereSet($0, table) }
    }

    private static func indexWhereSet(_ name: String, _ table: String) -> String {
        let column = tokenColumn(name)
        return "CREATE INDEX \(table)_\(name) ON \(table) (\(column)) WHERE \(column) IS NOT NULL"
    }

    static func tokenColumn(_ attribute: String) -> String { "t_" + attribute }

    /// The columns of a row in the order in which statements name and read them; the large ones last.
    static let fixedColumns = [
        "rowid", "agrp", "pdmn", "sync", "tomb", "cdat", "mdat", "persistref", "uuid", "attributes", "itemkey",
        "bound",
    ]
}
