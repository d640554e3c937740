import LatchkeyItemModel

/// Keeps `syncitems`, `syncchanges` and the names in the item rows in step with these. Every statement that writes or removes an item row
/// comes by here, within the same transaction.
enum RowListings {
    /// Returns the listing as it is now: the device may have left the circle since the row was named.
    static func inCircle(
        _ connection: ConnectionStatements, _ listing: RowListing
    ) throws(ItemDatabaseFailure) -> RowListing {
        guard case .listed(_, let device) = listing else { return listing }
        let isMember = try connection.integer(
            "SELECT 1 FROM syncvalues WHERE name = 'device' AND value = ?", [.bytes(device)])
        return isMember == nil ? .later(leavesName: false) : listing
    }

    /// Lists a new row, which was written with the name of the listing.
    static func add(
        _ connection: ConnectionStatements, _ place: RowPlace, _ listing: RowListing, change: Int64,
        isRestored: Bool
    ) throws(ItemDatabaseFailure) {
        func stamp() throws(ItemDatabaseFailure) -> SyncStampRow {
            isRestored ? .restored : try SyncStamps.ofCall(connection)
        }
        switch listing {
        case .unlisted: break
        case .later: try nameLater(connection, place, stamp(), change: change)
        case .remote(let name): try list(connection, name, place)
        case .listed(let content, _):
            try record(
                connection,
                SyncChangeRow(
                    name: content.name, number: change, kind: .put, content: content, stamp: stamp()),
                newPlace: try moveKnown(connection, content.name, place) ? nil : place)
        }
    }

    /// Lists a row that was written again.
    static func change(
        _ connection: ConnectionStatements, _ row: ItemRow, change: Int64
    ) throws(ItemDatabaseFailure) {
        switch try inCircle(connection, row.listing) {
        case .unlisted(let departure): try end(connection, row.place, departure)
        case .later(let leavesName): try changeWithoutName(connection, row, leavesName: leavesName, change: change)
        case .remote(let name):
            try end(connection, row.place, .remote)
            try list(connection, name, row.place)
            try write(name, to: row.place, connection)
        case .listed(let content, _):
            try forgetUnnamed(connection, row.place)
            let former = try name(connection, row.place)
            try put(
                connection, content, row.place, change: change, former: former, SyncStamps.ofCall(connection))
        }
    }

    /// Keeps the version of a call that has written a row without a name.
    ///
    /// A name that the row has left gets its deletion at once, with the version of this call, and later changes of the row do not move it.
    /// This change replaces the one that waits under a name which the row keeps, and is reported when the row is named.
    private static func changeWithoutName(
        _ connection: ConnectionStatements, _ row: ItemRow, leavesName: Bool, change: Int64
    ) throws(ItemDatabaseFailure) {
        guard try connection.integer("SELECT 1 FROM syncvalues WHERE name = 'device'") != nil else { return }
        let stamp = try SyncStamps.ofCall(connection)
        if let former = try name(connection, row.place) {
            if leavesName || leaves(former, row.listing) {
                try unlink(connection, former)
                try record(
                    connection,
                    SyncChangeRow(name: former, number: change, kind: .deletedEverywhere, stamp: stamp))
                try ChangeNumbers.keepUsed(connection, change)
            } else {
                let (condition, values) = ("name = ? AND kind = 1", [ColumnValue.bytes(former)])
                try keepPlaces(connection, ofChangesWhere: condition, values)
                try connection.run("DELETE FROM syncchanges WHERE " + condition, values)
            }
        }
        try nameLater(connection, row.place, stamp, change: change)
    }

    /// Returns true for a listing of another name, by the keys of an identity that the device does not have any more.
    private static func leaves(_ former: [UInt8], _ listing: RowListing) -> Bool {
        guard case .listed(let content, _) = listing else { return false }
        return content.name != former
    }

    /// Lists a row that does not change: it has just been named.
    static func name(
        _ connection: ConnectionStatements, _ place: RowPlace, _ listing: RowListing
    ) throws(ItemDatabaseFailure) {
        switch try inCircle(connection, listing) {
        case .later, .remote: break
        case .unlisted(let departure): try end(connection, place, departure)
        case .listed(let content, _):
            let stamp = try ItemReader.stampOfUnnamed(place, connection) ?? .none
            try forgetUnnamed(connection, place)
            let former = try name(connection, place)
            // The rules were other ones, and the item is as the circle has it.
            if !stamp.isOfCall, former == content.name {
                if try isKnown(connection, content) { return }
                // The call that waits under the name has written the row as it is.
                if try waits(connection, content) { return }
            }
            try put(
                connection, content, place, change: ChangeNumbers.nextOfNoRow(connection), former: former,
                stamp.ofChange)
        }
    }

    /// Returns true for a content that the version of its item has, and that no change waits to replace.
    private static func isKnown(
        _ connection: ConnectionStatements, _ content: SharedContent
    ) throws(ItemDatabaseFailure) -> Bool {
        try connection.integer(
            """
            SELECT 1 FROM syncitems WHERE name = ?1 AND state = 1 AND digest = ?2
                AND NOT EXISTS (SELECT 1 FROM syncchanges WHERE name = ?1)
            """, [.bytes(content.name), .bytes(content.digest)]) != nil
    }

    /// Returns true for the content of a call that waits.
    private static func waits(
        _ connection: ConnectionStatements, _ content: SharedContent
    ) throws(ItemDatabaseFailure) -> Bool {
        try connection.integer(
            "SELECT 1 FROM syncchanges WHERE name = ? AND kind = 1 AND digest = ? AND \(SyncStampRow.isOfCall)",
            [.bytes(content.name), .bytes(content.digest)]) != nil
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
        case .everywhere: try note(connection, name, .deletedEverywhere, SyncStamps.ofCall(connection))
        case .here: try note(connection, name, .deletedHere, .none)
        }
    }

    /// Ends the listing of every row of a table that meets a condition: they remain on other devices.
    static func endAll(
        _ connection: ConnectionStatements, of table: String, where condition: String, _ values: [ColumnValue]
    ) throws(ItemDatabaseFailure) {
        // Outside of a circle nothing is listed, and the names are behind the secrets of the rows.
        guard try connection.integer("SELECT 1 FROM syncvalues WHERE name = 'device'") != nil else { return }
        let place = [.text(table)] + values
        try connection.run(
            "DELETE FROM syncunnamed WHERE class = ? AND number IN (SELECT rowid FROM \(table) WHERE \(condition))",
            place)
        func names(in listing: String, with number: String) -> String {
            """
            name IN (
                SELECT name FROM \(table) CROSS JOIN \(listing)
                    ON name = syncname AND class = ? AND \(number) = \(table).rowid
                WHERE \(condition) AND syncname IS NOT NULL)
            """
        }
        let end = [
            ColumnValue.integer(try ChangeNumbers.nextOfNoRow(connection)),
            .integer(Int64(SyncChangeRow.Kind.deletedHere.rawValue)),
        ]
        try connection.run(
            """
            UPDATE syncchanges SET number = ?, kind = ?, partner = NULL, zone = NULL, digest = NULL, class = NULL,
                rownumber = NULL, origin = 0, epoch = NULL, time = NULL, count = NULL
            WHERE \(names(in: "syncchanges", with: "rownumber"))
            """, end + place)
        if connection.changedRows > 0 { connection.hasSharedChange = true }
        let listed = names(in: "syncitems", with: "number")
        try connection.run(
            "INSERT OR REPLACE INTO syncchanges (name, number, kind) SELECT name, ?, ? FROM syncitems WHERE " + listed,
            end + place)
        guard connection.changedRows > 0 else { return }
        connection.hasSharedChange = true
        try connection.run("UPDATE syncitems SET class = NULL, number = NULL WHERE " + listed, place)
    }

    /// Returns the name of a row that is about to be replaced, and whether a call waits in it; nil if it has no name.
    static func former(
        _ connection: ConnectionStatements, _ place: RowPlace
    ) throws(ItemDatabaseFailure) -> (name: [UInt8], isOfCall: Bool)? {
        guard let name = try name(connection, place) else { return nil }
        let unnamed = try ItemReader.stampOfUnnamed(place, connection)?.isOfCall ?? false
        let condition = "SELECT 1 FROM syncchanges WHERE name = ? AND " + SyncStampRow.isOfCall
        let waiting = try connection.integer(condition, [.bytes(name)]) != nil
        return (name, unnamed || waiting)
    }

    /// Gives the name of a replaced row to the row that took its place.
    static func keepName(
        _ connection: ConnectionStatements, _ name: [UInt8], _ row: ItemRow
    ) throws(ItemDatabaseFailure) {
        switch try inCircle(connection, row.listing) {
        case .listed, .remote: return
        case .unlisted(.everywhere), .unlisted(.remote): return
        case .unlisted(.here): return try note(connection, name, .deletedHere, .none)
        case .later: break
        }
        // This change replaces the one that waits under the name.
        try connection.run("DELETE FROM syncchanges WHERE name = ? AND kind = 1", [.bytes(name)])
        try list(connection, name, row.place)
        try write(name, to: row.place, connection)
    }

    /// Returns the name of a row. The column alone may be that of a former listing.
    static func name(_ connection: ConnectionStatements, _ place: RowPlace) throws(ItemDatabaseFailure) -> [UInt8]? {
        let table = place.itemClass.rawValue
        return try connection.table(
            """
            SELECT syncname FROM \(table) WHERE rowid = ?2 AND (
                EXISTS (SELECT 1 FROM syncitems WHERE name = \(table).syncname AND class = ?1 AND number = ?2)
                OR EXISTS (SELECT 1 FROM syncchanges WHERE name = \(table).syncname AND class = ?1 AND rownumber = ?2))
            """, place.values
        ).first?.bytes(0, count: SharedContent.nameByteCount)
    }

    private static func put(
        _ connection: ConnectionStatements, _ content: SharedContent, _ place: RowPlace, change: Int64,
        former: [UInt8]?, _ stamp: SyncStampRow
    ) throws(ItemDatabaseFailure) {
        var partner: [UInt8]?
        if let former, former != content.name {
            try unlink(connection, former)
            partner = former
            try record(
                connection,
                SyncChangeRow(
                    name: former, number: change, kind: .deletedEverywhere, partner: content.name, stamp: stamp))
        }
        var newPlace: RowPlace?
        if former != content.name {
            if try !moveKnown(connection, content.name, place) { newPlace = place }
            try write(content.name, to: place, connection)
        }
        try record(
            connection,
            SyncChangeRow(
                name: content.name, number: change, kind: .put, partner: partner, content: content, stamp: stamp),
            newPlace: newPlace)
    }

    private static func note(
        _ connection: ConnectionStatements, _ name: [UInt8], _ kind: SyncChangeRow.Kind, _ stamp: SyncStampRow
    ) throws(ItemDatabaseFailure) {
        let number = try ChangeNumbers.nextOfNoRow(connection)
        try record(connection, SyncChangeRow(name: name, number: number, kind: kind, stamp: stamp))
    }

    /// - Parameter newPlace: the row that has the name, if `syncitems` does not know the name.
    private static func record(
        _ connection: ConnectionStatements, _ change: SyncChangeRow, newPlace: RowPlace? = nil
    ) throws(ItemDatabaseFailure) {
        connection.hasSharedChange = true
        try connection.run(
            """
            INSERT INTO syncchanges (name, number, kind, partner, zone, digest, class, rownumber, \(SyncStampRow.columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET number = excluded.number, kind = excluded.kind, partner = excluded.partner,
                zone = excluded.zone, digest = excluded.digest, class = coalesce(excluded.class, class),
                rownumber = coalesce(excluded.rownumber, rownumber), origin = excluded.origin, epoch = excluded.epoch,
                time = excluded.time, count = excluded.count
            """,
            [
                .bytes(change.name), .integer(change.number), .integer(Int64(change.kind.rawValue)),
                ColumnValue(change.partner), ColumnValue(change.content.map { Int64($0.zone) }),
                ColumnValue(change.content?.digest),
            ] + (newPlace?.values ?? [.null, .null]) + change.stamp.values)
    }

    /// Gives a name that `syncitems` knows another row.
    /// - Returns: false if the name is not known there.
    private static func moveKnown(
        _ connection: ConnectionStatements, _ name: [UInt8], _ place: RowPlace
    ) throws(ItemDatabaseFailure) -> Bool {
        try connection.run(
            "UPDATE syncitems SET class = ?, number = ? WHERE name = ?", place.values + [.bytes(name)])
        return connection.changedRows > 0
    }

    /// Gives a name a row, also one that `syncitems` does not know.
    private static func list(
        _ connection: ConnectionStatements, _ name: [UInt8], _ place: RowPlace
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT INTO syncitems (name, class, number) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET class = excluded.class, number = excluded.number
            """, [.bytes(name)] + place.values)
        try forgetWaitingPlace(connection, name)
    }

    /// Writes the name into a row that is there.
    private static func write(
        _ name: [UInt8], to place: RowPlace, _ connection: ConnectionStatements
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            "UPDATE \(place.itemClass.rawValue) SET syncname = ?1 WHERE rowid = ?2 AND syncname IS NOT ?1",
            [.bytes(name), .integer(place.rowID)])
    }

    private static func unlink(_ connection: ConnectionStatements, _ name: [UInt8]) throws(ItemDatabaseFailure) {
        try connection.run("UPDATE syncitems SET class = NULL, number = NULL WHERE name = ?", [.bytes(name)])
        try forgetWaitingPlace(connection, name)
    }

    /// Takes the place of a row from the change of a name: `syncitems` knows the name now, or the row is no longer listed.
    static func forgetWaitingPlace(
        _ connection: ConnectionStatements, _ name: [UInt8]
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            "UPDATE syncchanges SET class = NULL, rownumber = NULL WHERE name = ? AND class IS NOT NULL", [.bytes(name)]
        )
    }

    /// Moves the places of rows whose changes are about to be forgotten to `syncitems`.
    static func keepPlaces(
        _ connection: ConnectionStatements, ofChangesWhere condition: String = "TRUE", _ values: [ColumnValue] = []
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT OR IGNORE INTO syncitems (name, class, number)
            SELECT name, class, rownumber FROM syncchanges WHERE class IS NOT NULL AND \(condition)
            """, values)
    }

    private static func nameLater(
        _ connection: ConnectionStatements, _ place: RowPlace, _ stamp: SyncStampRow, change: Int64
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT OR REPLACE INTO syncunnamed (class, number, change, \(SyncStampRow.columns))
            SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM syncvalues WHERE name = 'device')
            """, place.values + [.integer(change)] + stamp.values)
        // Its listing was made before the transaction: the keys may be lent by now, and the pass that names rows may be
        // behind it.
        if connection.changedRows > 0 { connection.hasSharedChange = true }
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
