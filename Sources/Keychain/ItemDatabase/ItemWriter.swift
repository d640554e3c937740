import Foundation
import LatchkeyItemModel

@_implementationOnly import GRDB

/// Reads and writes inside one transaction.
package struct ItemWriter {
    private let hidden: HiddenObject
    let connection: ConnectionStatements

    var db: Database { hidden.object(as: Database.self) }

    init(db: Database, connection: ConnectionStatements) {
        hidden = HiddenObject(db)
        self.connection = connection
    }

    package var reader: ItemReader { ItemReader(db: db, connection: connection) }

    /// Inserts the row if its number and primary key are free.
    /// - Returns: false if they are not; nothing has changed then.
    package func insertIfFree(_ row: ItemRow) throws(ItemDatabaseFailure) -> Bool {
        try RowStatements.insert(connection, row)
    }

    /// Inserts the row. Its number and primary key must be free.
    /// - Parameter isRestored: true for a row of a backup: its modification date decides, and not the time of the call.
    package func insert(_ row: ItemRow, isRestored: Bool = false) throws(ItemDatabaseFailure) {
        if try RowStatements.insert(connection, row, isRestored: isRestored) { return }
        guard try RowStatements.isNumberTaken(connection, row) else {
            throw .other(code: 19, message: "a row with this primary key exists")
        }
        throw .numberTaken
    }

    /// Puts a row of a backup in the place of another one of the same primary key, with its name among the shared ones. Over a call that
    /// waits, it is a call itself.
    package func replace(_ other: ItemRow, byRestored row: ItemRow) throws(ItemDatabaseFailure) {
        let former = try RowListings.former(connection, other.place)
        try RowStatements.delete(connection, other, departure: former.map { _ in .remote } ?? .here)
        try insert(row, isRestored: !(former?.isOfCall ?? false))
        guard let former else { return }
        try RowListings.keepName(connection, former.name, row)
    }

    /// Writes every column of the row with this row number.
    package func update(_ row: ItemRow) throws(ItemDatabaseFailure) {
        try RowStatements.update(connection, row)
    }

    /// Writes the attributes of a row that has just been bound. The rest of the row does not change.
    package func bind(_ row: ItemRow) throws(ItemDatabaseFailure) {
        try RowStatements.bind(connection, row)
    }

    /// - Parameter departure: what becomes of the item on other devices, if it is shared.
    package func delete(_ row: ItemRow, departure: RowDeparture = .here) throws(ItemDatabaseFailure) {
        try RowStatements.delete(connection, row, departure: departure)
    }

    /// Moves a row that can no longer be decoded into `quarantine`, with the reason.
    package func quarantine(_ row: ItemRow, reason: String, at microseconds: Int64) throws(ItemDatabaseFailure) {
        try RowStatements.quarantine(connection, row, reason: reason, at: microseconds)
    }

    package func setMetadataKey(_ wrapped: [UInt8], ofClass keyClass: UInt8) throws(ItemDatabaseFailure) {
        try translated {
            try db.execute(
                sql: "INSERT OR REPLACE INTO metadatakeys (keyclass, wrapped) VALUES (?, ?)",
                arguments: [Int64(keyClass), Data(wrapped)])
        }
    }

    package func setDeviceKey(_ wrapped: [UInt8], named name: String) throws(ItemDatabaseFailure) {
        try translated {
            try db.execute(
                sql: "INSERT OR REPLACE INTO devicekeys (name, wrapped) VALUES (?, ?)",
                arguments: [name, Data(wrapped)])
        }
    }

    /// Deletes every row of the groups, including tombstones, and leaves no new ones (app removal).
    package func deleteRows(inAccessGroups groups: [String]) throws(ItemDatabaseFailure) -> Int {
        try translated {
            var count = 0
            try RowNumbers.keepAllUsed(connection)
            for schema in ItemSchema.all {
                let table = schema.itemClass.rawValue
                for group in groups {
                    try RowListings.endAll(connection, of: table, where: "agrp = ?", [.text(group)])
                    try db.execute(
                        sql: """
                            DELETE FROM otherrefs
                            WHERE class = ? AND number IN (SELECT rowid FROM \(table) WHERE agrp = ?)
                            """, arguments: [table, group])
                    try db.execute(sql: "DELETE FROM \(table) WHERE agrp = ?", arguments: [group])
                    if db.changesCount > 0 { connection.changedGroups.add(group) }
                    count += db.changesCount
                    try db.execute(
                        sql: "DELETE FROM \(EndedTables.name(of: schema.itemClass)) WHERE agrp = ?", arguments: [group])
                }
            }
            return count
        }
    }

    /// Deletes every row and key, trusted teams, apps and options. After an erase the device is like a new one.
    package func deleteEverything() throws(ItemDatabaseFailure) {
        try translated {
            try RowNumbers.keepAllUsed(connection)
            connection.changedGroups.addEverything()
            for schema in ItemSchema.all { try db.execute(sql: "DELETE FROM \(schema.itemClass.rawValue)") }
            try forgetEndedRows()
            try forgetCircle()
            try connection.run("DELETE FROM syncconflicts")
            try db.execute(
                sql: """
                    DELETE FROM otherrefs; DELETE FROM metadatakeys; DELETE FROM devicekeys; DELETE FROM quarantine;
                    DELETE FROM formerdigests; DELETE FROM teams; DELETE FROM apps; DELETE FROM settings;
                    """)
        }
    }
}
