import LatchkeyItemModel

/// Keeps `syncitems` and `syncchanges` in step with the item rows. Every statement that writes or removes an item row
/// comes by here, within the same transaction.
enum RowListings {
    /// Lists a new row.
    static func add(
        _ connection: ConnectionStatements, _ row: ItemRow, change: Int64
    ) throws(ItemDatabaseFailure) {
        switch row.listing {
        case .unlisted: break
        case .later: try nameLater(connection, row.place)
        case .remote(let name): try link(connection, name, row.place)
        case .listed(let content, let device):
            guard try isInCircle(connection, device) else { return try nameLater(connection, row.place) }
            try put(connection, content, row.place, change: change, former: nil)
        }
    }

    /// Lists a row that was written again.
    static func change(
        _ connection: ConnectionStatements, _ row: ItemRow, change: Int64
    ) throws(ItemDatabaseFailure) {
        switch row.listing {
        case .unlisted(let departure): try end(connection, row.place, departure)
        case .later: try nameLater(connection, row.place)
        case .remote(let name):
            try end(connection, row.place, .remote)
            try link(connection, name, row.place)
        case .listed(let content, let device):
            guard try isInCircle(connection, device) else { return try nameLater(connection, row.place) }
            try forgetUnnamed(connection, row.place)
            let former = try name(connection, row.place)
            try put(connection, content, row.place, change: change, former: former)
        }
    }

    /// Lists a row that does not change: it has just been named.
    static func name(
        _ connection: ConnectionStatements, _ place: RowPlace, _ listing: RowListing
    ) throws(ItemDatabaseFailure) {
        switch listing {
        case .later, .remote: break
        case .unlisted(let departure): try end(connection, place, departure)
        case .listed(let content, let device):
            guard try isInCircle(connection, device) else { return }
            try forgetUnnamed(connection, place)
            let former = try name(connection, place)
            try put(
                connection, content, place, change: ChangeNumbers.nextOfNoRow(connection), former: former)
        }
    }

    /// Ends the listing of a row that is removed, or is no longer shared.
    static func end(
        _ connection: ConnectionStatements, _ place: RowPlace, _ departure: RowDeparture
    ) throws(ItemDatabaseFailure) {
        try forgetUnnamed(connection, place)
        guard let name = try name(connection, place) else { return }
        try unlink(connection, name)
        switch departure {
        case .remote: return
        case .everywhere: try note(connection, name, .deletedEverywhere)
        case .here: try note(connection, name, .deletedHere)
        }
    }

    /// Ends the listing of every row of a table that meets a condition: they remain on other devices.
    static func endAll(
        _ connection: ConnectionStatements, of table: String, where condition: String, _ values: [ColumnValue]
    ) throws(ItemDatabaseFailure) {
        let rows = "class = ? AND number IN (SELECT rowid FROM \(table) WHERE \(condition))"
        let values = [.text(table)] + values
        try connection.run("DELETE FROM syncunnamed WHERE " + rows, values)
        let names = try connection.table("SELECT name FROM syncitems WHERE " + rows, values)
        guard !names.isEmpty else { return }
        connection.hasSharedChange = true
        try connection.run(
            "INSERT OR REPLACE INTO syncchanges (name, number, kind) SELECT name, ?, ? FROM syncitems WHERE " + rows,
            [
                .integer(try ChangeNumbers.nextOfNoRow(connection)),
                .integer(Int64(SyncChangeRow.Kind.deletedHere.rawValue)),
            ] + values)
        try connection.run("UPDATE syncitems SET class = NULL, number = NULL WHERE " + rows, values)
    }

    static func name(_ connection: ConnectionStatements, _ place: RowPlace) throws(ItemDatabaseFailure) -> [UInt8]? {
        try connection.table(
            "SELECT name FROM syncitems WHERE class = ? AND number = ?", place.values
        ).first?.bytes(0, count: SharedContent.nameByteCount)
    }

    private static func put(
        _ connection: ConnectionStatements, _ content: SharedContent, _ place: RowPlace, change: Int64,
        former: [UInt8]?
    ) throws(ItemDatabaseFailure) {
        var partner: [UInt8]?
        if let former, former != content.name {
            try unlink(connection, former)
            partner = former
            try record(
                connection,
                SyncChangeRow(name: former, number: change, kind: .deletedEverywhere, partner: content.name))
        }
        if former != content.name { try link(connection, content.name, place) }
        try record(
            connection,
            SyncChangeRow(name: content.name, number: change, kind: .put, partner: partner, content: content))
    }

    private static func note(
        _ connection: ConnectionStatements, _ name: [UInt8], _ kind: SyncChangeRow.Kind
    ) throws(ItemDatabaseFailure) {
        let number = try ChangeNumbers.nextOfNoRow(connection)
        try record(connection, SyncChangeRow(name: name, number: number, kind: kind))
    }

    private static func record(
        _ connection: ConnectionStatements, _ change: SyncChangeRow
    ) throws(ItemDatabaseFailure) {
        connection.hasSharedChange = true
        try connection.run(
            """
            INSERT OR REPLACE INTO syncchanges (name, number, kind, partner, zone, digest) VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .bytes(change.name), .integer(change.number), .integer(Int64(change.kind.rawValue)),
                ColumnValue(change.partner), ColumnValue(change.content.map { Int64($0.zone) }),
                ColumnValue(change.content?.digest),
            ])
    }

    private static func link(
        _ connection: ConnectionStatements, _ name: [UInt8], _ place: RowPlace
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT INTO syncitems (name, class, number) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET class = excluded.class, number = excluded.number
            """, [.bytes(name)] + place.values)
    }

    private static func unlink(_ connection: ConnectionStatements, _ name: [UInt8]) throws(ItemDatabaseFailure) {
        try connection.run("UPDATE syncitems SET class = NULL, number = NULL WHERE name = ?", [.bytes(name)])
    }

    private static func nameLater(
        _ connection: ConnectionStatements, _ place: RowPlace
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT OR IGNORE INTO syncunnamed (class, number)
            SELECT ?, ? WHERE EXISTS (SELECT 1 FROM syncvalues WHERE name = 'device')
            """, place.values)
    }

    /// Returns true if the device is in the circle as `device`: it may have left since the row was named.
    private static func isInCircle(
        _ connection: ConnectionStatements, _ device: [UInt8]
    ) throws(ItemDatabaseFailure) -> Bool {
        try connection.integer(
            "SELECT 1 FROM syncvalues WHERE name = 'device' AND value = ?", [.bytes(device)]) != nil
    }

    private static func forgetUnnamed(
        _ connection: ConnectionStatements, _ place: RowPlace
    ) throws(ItemDatabaseFailure) {
        try connection.run("DELETE FROM syncunnamed WHERE class = ? AND number = ?", place.values)
    }
}

extension RowPlace {
    fileprivate var values: [ColumnValue] { [.text(itemClass.rawValue), .integer(rowID)] }
}

extension ItemRow {
    package var place: RowPlace { RowPlace(itemClass, rowID) }
}
