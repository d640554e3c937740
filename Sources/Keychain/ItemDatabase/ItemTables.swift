import LatchkeyItemModel

@_implementationOnly import GRDB

/// The tables of `keychain.db`. `Docs/Formats/item-database.md` describes every byte of them.
enum ItemTables {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        for migration in Migration.all {
            migrator.registerMigration(migration.format) { db in try db.execute(sql: migration.statements) }
        }
        return migrator
    }

    /// The two parts of the primary key that, with the access group, locate an item. The tokens of both are always set,
    /// so that the `place` index finds the one row of a primary key.
    static func place(of itemClass: ItemClass) -> [AttributeName] {
        switch itemClass {
        case .genericPassword: [.service, .account]
        case .internetPassword: [.server, .account]
        case .certificate, .identity: [.issuer, .serialNumber]
        case .key: [.applicationLabel, .applicationTag]
        }
    }

    static func tokenColumn(_ attribute: AttributeName) -> String { "t_" + attribute.rawValue }

    /// The columns of a row in the order in which statements name and read them, the large ones last.
    static let fixedColumns = [
        "rowid", "agrp", "pdmn", "sync", "tomb", "cdat", "mdat", "persistref", "uuid", "attributes", "itemkey",
        "bound",
    ]
}
