import LatchkeyItemModel

@_implementationOnly import GRDB

/// Reads and writes rows. Only this type and ``RowSelection`` contain the SQL of the item tables.
enum RowStatements {
    /// The statements of one table, built once.
    private struct Table: Sendable {
        let byPrimaryKey: String
        let place: [AttributeName]
        let insert: String
        let update: String
        let delete: String
        let group: String
        let quarantine: String
        let unbound: String
        let bind: String
        let attributes: [AttributeName]

        init(_ schema: ItemSchema) {
            let name = schema.itemClass.rawValue
            attributes = schema.searchable
            let written =
                ItemTables.fixedColumns + ["secret", "pk", "change"]
                + attributes.map { ItemTables.tokenColumn($0) }
            let inserted = written + ["syncname"]
            let marks = Array(repeating: "?", count: inserted.count).joined(separator: ", ")
            let moved = "agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes, itemkey, secret, bound"
            place = ItemTables.place(of: schema.itemClass)
            let placeCondition = place.map { ItemTables.tokenColumn($0) + " = ?" }.joined(separator: " AND ")
            byPrimaryKey = """
                SELECT \(ItemTables.fixedColumns.joined(separator: ", ")), secret FROM \(name) INDEXED BY \(name)_place
                WHERE agrp = ? AND \(placeCondition) AND pk = ?
                """
            insert = """
                INSERT INTO \(name) (\(inserted.joined(separator: ", "))) VALUES (\(marks)) ON CONFLICT DO NOTHING
                """
            update = "UPDATE \(name) SET \(written.map { "\($0) = ?" }.joined(separator: ", ")) WHERE rowid = ?"
            group = "SELECT agrp FROM \(name) WHERE rowid = ?"
            delete = "DELETE FROM \(name) WHERE rowid = ?"
            quarantine = """
                INSERT INTO quarantine (class, \(moved), reason, moved)
                SELECT ?, \(moved), ?, ? FROM \(name) WHERE rowid = ?
                """
            unbound = """
                SELECT \(ItemTables.fixedColumns.joined(separator: ", ")),
                    CASE typeof(secret) WHEN 'null' THEN NULL ELSE x'' END
                FROM \(name) INDEXED BY \(name)_unbound
                WHERE bound IS NULL AND pdmn = ? AND rowid > ? ORDER BY rowid LIMIT ?
                """
            bind = "UPDATE \(name) SET attributes = ?, bound = ? WHERE rowid = ? AND bound IS NULL"
        }
    }

    private static let tables = Dictionary(uniqueKeysWithValues: ItemSchema.all.map { ($0.itemClass, Table($0)) })

    private static func table(_ itemClass: ItemClass) throws(ItemDatabaseFailure) -> Table {
        guard let table = tables[itemClass] else { throw .other(code: -1, message: "no table") }
        return table
    }

    /// Returns the matching rows after `rowID` in row order. The secret is read only on request, because it may be
    /// long.
    static func rows(
        _ connection: ConnectionStatements, matching filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        let content = withSecret ? RowSelection.Content.attributesAndSecret : .attributes
        return try connection.rows(RowSelection(filter, after: rowID, limit: limit, content))
    }

    /// Returns the numbers of the matching rows after `rowID`, in their order.
    static func numbers(
        _ connection: ConnectionStatements, matching filter: RowFilter, after rowID: Int64
    ) throws(ItemDatabaseFailure) -> [Int64] {
        try connection.numbers(RowSelection(filter, after: rowID, limit: .max, .numbers))
    }

    /// SQLite's description of how it would search.
    static func plan(
        _ db: Database, matching filter: RowFilter, limit: Int
    ) throws(ItemDatabaseFailure) -> [String] {
        let selection = RowSelection(filter, after: 0, limit: limit, .attributesAndSecret)
        return try translated {
            let rows = try Row.fetchAll(
                db, sql: "EXPLAIN QUERY PLAN " + selection.form.sql,
                arguments: StatementArguments(selection.values.map(\.databaseValue)))
            return rows.map { $0["detail"] }
        }
    }

    /// Returns the row with the same primary key as `row`; it may be `row` itself.
    static func row(
        _ connection: ConnectionStatements, withPrimaryKeyOf row: ItemRow
    ) throws(ItemDatabaseFailure) -> ItemRow? {
        let table = try table(row.itemClass)
        let place = table.place.map { ColumnValue(row.tokens[$0]) }
        return try connection.rows(
            table.byPrimaryKey, [.text(row.accessGroup)] + place + [.bytes(row.primaryKey)], of: row.itemClass
        ).first
    }

    /// - Returns: false if the number or the primary key is in use; nothing has changed then.
    static func insert(
        _ connection: ConnectionStatements, _ row: ItemRow, isRestored: Bool = false
    ) throws(ItemDatabaseFailure) -> Bool {
        let table = try table(row.itemClass)
        let change = row.isSynchronizable ? try ChangeNumbers.next(connection) : 0
        let listing = try RowListings.inCircle(connection, row.listing)
        var written = values(of: row, table, change: change)
        written.append(ColumnValue(listing.name))
        try connection.run(table.insert, written)
        guard connection.changedRows == 1 else { return false }
        if !row.isTombstone { connection.changedGroups.add(row.accessGroup) }
        try keepOtherReference(connection, row)
        try RowListings.add(connection, row.place, listing, change: change, isRestored: isRestored)
        return true
    }

    static func isNumberTaken(_ connection: ConnectionStatements, _ row: ItemRow) throws(ItemDatabaseFailure) -> Bool {
        try connection.integer("SELECT 1 FROM \(row.itemClass.rawValue) WHERE rowid = ?", [.integer(row.rowID)]) != nil
    }

    static func update(_ connection: ConnectionStatements, _ row: ItemRow) throws(ItemDatabaseFailure) {
        let table = try table(row.itemClass)
        let change: Int64
        if row.isSynchronizable {
            change = try ChangeNumbers.next(connection)
        } else {
            change = 0
            try ChangeNumbers.keepUsed(connection, ofRow: row.rowID, in: row.itemClass)
        }
        // The item may move to another group.
        if case .text(let former)? = try connection.table(table.group, [.integer(row.rowID)]).first?.values[0] {
            connection.changedGroups.add(former)
        }
        connection.changedGroups.add(row.accessGroup)
        try connection.run(table.update, values(of: row, table, change: change) + [.integer(row.rowID)])
        try keepOtherReference(connection, row)
        try RowListings.change(connection, row, change: change)
    }

    /// Stores a reference that does not begin with the row's number in a table of its own, so that it can be found.
    private static func keepOtherReference(
        _ connection: ConnectionStatements, _ row: ItemRow
    ) throws(ItemDatabaseFailure) {
        guard !row.isNamedByReference else { return }
        try connection.run(
            "INSERT OR REPLACE INTO otherrefs (class, persistref, number) VALUES (?, ?, ?)",
            [.text(row.itemClass.rawValue), .bytes(row.identifier), .integer(row.rowID)])
    }

    /// Returns the rows of a protection class with unbound attributes, in row order after `rowID`. An empty secret
    /// replaces the stored one.
    static func unboundRows(
        _ connection: ConnectionStatements, of itemClass: ItemClass, keyClass: UInt8, after rowID: Int64, limit: Int
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try connection.rows(
            try table(itemClass).unbound, [.integer(Int64(keyClass)), .integer(rowID), .integer(Int64(limit))],
            of: itemClass)
    }

    /// Writes the attributes of a row that has just been bound.
    static func bind(_ connection: ConnectionStatements, _ row: ItemRow) throws(ItemDatabaseFailure) {
        try connection.run(
            table(row.itemClass).bind,
            [.bytes(row.sealedAttributes), ColumnValue(row.binding), .integer(row.rowID)])
    }

    static func delete(
        _ connection: ConnectionStatements, _ row: ItemRow, departure: RowDeparture
    ) throws(ItemDatabaseFailure) {
        if !row.isTombstone { connection.changedGroups.add(row.accessGroup) }
        if row.isSynchronizable {
            try ChangeNumbers.keepUsed(connection, ofRow: row.rowID, in: row.itemClass)
            try RowListings.end(connection, row.place, departure)
        }
        if !row.isNamedByReference {
            try connection.run(
                "DELETE FROM otherrefs WHERE class = ? AND persistref = ?",
                [.text(row.itemClass.rawValue), .bytes(row.identifier)])
        }
        try connection.run(table(row.itemClass).delete, [.integer(row.rowID)])
        try RowNumbers.keepUsed(connection, row.rowID)
    }

    static func quarantine(
        _ connection: ConnectionStatements, _ row: ItemRow, reason: String, at microseconds: Int64
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            table(row.itemClass).quarantine,
            [.text(row.itemClass.rawValue), .text(reason), .integer(microseconds), .integer(row.rowID)])
        try FormerDigests.follow(connection, from: row.itemClass, to: .quarantine)
        try delete(connection, row, departure: .here)
    }

    /// The values in the order of the columns that `Table` writes.
    private static func values(
        of row: ItemRow, _ table: Table, change: Int64
    ) -> [ColumnValue] {
        var values: [ColumnValue] = []
        values.reserveCapacity(17 + table.attributes.count)
        values += [
            .integer(row.rowID), .text(row.accessGroup), .integer(Int64(row.keyClass)),
            .integer(row.isSynchronizable ? 1 : 0),
            .integer(row.isTombstone ? 1 : 0), .integer(row.creationDate), .integer(row.modificationDate),
            .bytes(row.identifier), .bytes(row.syncIdentifier), .bytes(row.sealedAttributes),
            ColumnValue(row.wrappedItemKey), ColumnValue(row.binding), ColumnValue(row.sealedSecret),
            .bytes(row.primaryKey), .integer(change),
        ]
        for attribute in table.attributes { values.append(ColumnValue(row.tokens[attribute])) }
        return values
    }
}
