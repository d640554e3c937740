package import LatchkeyItemModel

/// The statements of `syncitems`, `syncreplaced`, `syncchanges` and `syncunnamed`.
extension ItemReader {
    private static let versionColumns = "version, base, dotdevice, dotzone, dotnumber, state, zone, digest"
    private static let itemColumns = "name, class, number, " + versionColumns
    private static let changeColumns = "name, number, kind, partner, zone, digest, " + SyncStampRow.columns
    /// The same of an item that waits for its first version.
    private static let waitingColumns = "name, class, rownumber, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL"

    /// All shared items, ordered by name.
    package func syncItems() throws(ItemDatabaseFailure) -> [SyncItemRow] {
        try items(
            """
            SELECT \(Self.itemColumns) FROM syncitems
            UNION ALL
            SELECT \(Self.waitingColumns) FROM syncchanges
            WHERE NOT EXISTS (SELECT 1 FROM syncitems WHERE syncitems.name = syncchanges.name)
            ORDER BY name
            """)
    }

    package func syncItem(named name: [UInt8]) throws(ItemDatabaseFailure) -> SyncItemRow? {
        // One statement: a reader outside of a transaction could miss an item that gets its first version between two.
        try items(
            """
            SELECT \(Self.itemColumns) FROM syncitems WHERE name = ?1
            UNION ALL
            SELECT \(Self.waitingColumns) FROM syncchanges
            WHERE name = ?1 AND NOT EXISTS (SELECT 1 FROM syncitems WHERE name = ?1)
            """, [.bytes(name)]
        ).first
    }

    /// Returns the name of an item row; nil if the item is not shared.
    package func syncName(of place: RowPlace) throws(ItemDatabaseFailure) -> [UInt8]? {
        try RowListings.name(connection, place)
    }

    /// The published versions that unpublished changes have replaced, by name.
    package func syncReplaced() throws(ItemDatabaseFailure) -> [[UInt8]: SyncVersionRow] {
        var found: [[UInt8]: SyncVersionRow] = [:]
        for row in try connection.table("SELECT name, \(Self.versionColumns) FROM syncreplaced") {
            found[try row.bytes(0, count: SharedContent.nameByteCount)] = try row.version(from: 1)
        }
        return found
    }

    /// The changes by programs of this device that no version has yet, in their order.
    package func syncChanges(after number: Int64 = 0) throws(ItemDatabaseFailure) -> [SyncChangeRow] {
        try changes(
            "SELECT \(Self.changeColumns) FROM syncchanges WHERE number > ? ORDER BY number, name",
            [.integer(number)])
    }

    /// Returns a part of these changes: about as many as `limit`, and with each name of a primary key change the other one.
    package func syncChanges(after number: Int64, about limit: Int) throws(ItemDatabaseFailure) -> [SyncChangeRow] {
        let place = "SELECT number FROM syncchanges WHERE number > ? ORDER BY number LIMIT 1 OFFSET ?"
        guard var end = try connection.integer(place, [.integer(number), .integer(Int64(limit - 1))]) else {
            return try syncChanges(after: number)
        }
        while true {
            let rows = try changes(
                """
                SELECT \(Self.changeColumns) FROM syncchanges WHERE number > ? AND number <= ?
                ORDER BY number, name
                """, [.integer(number), .integer(end)])
            var last = end
            for row in rows {
                guard let partner = row.partner, let other = try syncChange(of: partner) else { continue }
                last = max(last, other.number)
            }
            if last == end { return rows }
            end = last
        }
    }

    package func syncChange(of name: [UInt8]) throws(ItemDatabaseFailure) -> SyncChangeRow? {
        try changes(
            "SELECT \(Self.changeColumns) FROM syncchanges WHERE name = ?", [.bytes(name)]
        ).first
    }

    /// Returns the places of rows that may be shared and have to be named, in row order after `rowID`.
    package func unnamedRows(
        of itemClass: ItemClass, after rowID: Int64, limit: Int
    ) throws(ItemDatabaseFailure) -> [RowPlace] {
        let rows = try connection.table(
            "SELECT number FROM syncunnamed WHERE class = ? AND number > ? ORDER BY number LIMIT ?",
            [.text(itemClass.rawValue), .integer(rowID), .integer(Int64(limit))])
        var places: [RowPlace] = []
        for row in rows { places.append(RowPlace(itemClass, try row.integer(0))) }
        return places
    }

    /// Returns the places of synchronizable rows that are not shared and do not wait to be named, in row order.
    package func unsharedRows(of itemClass: ItemClass) throws(ItemDatabaseFailure) -> [RowPlace] {
        let table = itemClass.rawValue
        let rows = try connection.table(
            """
            SELECT rowid FROM \(table) WHERE sync = 1 AND tomb = 0
                AND NOT EXISTS (
                    SELECT 1 FROM syncitems WHERE name = \(table).syncname AND class = ?1 AND number = \(table).rowid)
                AND NOT EXISTS (
                    SELECT 1 FROM syncchanges
                    WHERE name = \(table).syncname AND class = ?1 AND rownumber = \(table).rowid)
                AND NOT EXISTS (SELECT 1 FROM syncunnamed WHERE class = ?1 AND number = \(table).rowid)
            ORDER BY rowid
            """, [.text(table)])
        var places: [RowPlace] = []
        for row in rows { places.append(RowPlace(itemClass, try row.integer(0))) }
        return places
    }

    /// Returns what a row that has to be named keeps of its version; nil if it does not have to be.
    package func stampOfUnnamed(_ place: RowPlace) throws(ItemDatabaseFailure) -> SyncStampRow? {
        try Self.stampOfUnnamed(place, connection)
    }

    static func stampOfUnnamed(
        _ place: RowPlace, _ connection: ConnectionStatements
    ) throws(ItemDatabaseFailure) -> SyncStampRow? {
        try connection.table(
            "SELECT \(SyncStampRow.columns) FROM syncunnamed WHERE class = ? AND number = ?",
            [.text(place.itemClass.rawValue), .integer(place.rowID)]
        ).first?.stamp(from: 0)
    }

    /// True while a row that a call has written has no name. Nothing that other devices wrote may be applied then: the row could miss a
    /// deletion that this device acknowledges.
    package func hasCallWithoutName() throws(ItemDatabaseFailure) -> Bool {
        try connection.integer("SELECT 1 FROM syncunnamed WHERE \(SyncStampRow.isOfCall) LIMIT 1") != nil
    }

    /// The last change of a row that waits for its name. Nil if none does.
    package func lastUnnamedChange() throws(ItemDatabaseFailure) -> Int64? {
        let row = try connection.table("SELECT max(change) FROM syncunnamed").first
        guard let row, !row.isNull(0) else { return nil }
        return try row.integer(0)
    }

    /// The modification date of the row of a name, which is in clear; nil if there is no such row.
    package func modificationDate(ofRowNamed name: [UInt8]) throws(ItemDatabaseFailure) -> Int64? {
        guard let place = try syncItem(named: name)?.place else { return nil }
        return try connection.integer(
            "SELECT mdat FROM \(place.itemClass.rawValue) WHERE rowid = ?", [.integer(place.rowID)])
    }

    private func items(_ sql: String, _ values: [ColumnValue] = []) throws(ItemDatabaseFailure) -> [SyncItemRow] {
        var items: [SyncItemRow] = []
        for row in try connection.table(sql, values) {
            var place: RowPlace?
            if !row.isNull(2) {
                guard let itemClass = ItemClass(rawValue: try row.text(1)) else {
                    throw .damaged("syncitems names an unknown class")
                }
                place = RowPlace(itemClass, try row.integer(2))
            }
            items.append(
                SyncItemRow(
                    name: try row.bytes(0, count: SharedContent.nameByteCount), place: place,
                    known: row.isNull(3) ? nil : try row.version(from: 3)))
        }
        return items
    }

    private func changes(_ sql: String, _ values: [ColumnValue]) throws(ItemDatabaseFailure) -> [SyncChangeRow] {
        var changes: [SyncChangeRow] = []
        for row in try connection.table(sql, values) {
            let name = try row.bytes(0, count: SharedContent.nameByteCount)
            guard let kind = SyncChangeRow.Kind(rawValue: try row.byte(2)) else {
                throw .damaged("syncchanges has an unknown kind")
            }
            var content: SharedContent?
            if let digest = try row.bytesIfAny(5, count: SharedContent.digestByteCount) {
                content = SharedContent(name: name, zone: try row.byte(4), digest: digest)
            }
            changes.append(
                SyncChangeRow(
                    name: name, number: try row.integer(1), kind: kind,
                    partner: try row.bytesIfAny(3, count: SharedContent.nameByteCount), content: content,
                    stamp: try row.stamp(from: 6)))
        }
        return changes
    }
}

extension ItemWriter {
    /// Sets the version of an item. Without one, the name goes if no item row has it.
    package func setSyncItem(_ known: SyncVersionRow?, named name: [UInt8]) throws(ItemDatabaseFailure) {
        guard let known else {
            try connection.run(
                """
                UPDATE syncitems SET version = NULL, base = NULL, dotdevice = NULL, dotzone = NULL, dotnumber = NULL,
                    state = NULL, zone = NULL, digest = NULL
                WHERE name = ?
                """, [.bytes(name)])
            return try forgetSyncName(name)
        }
        try connection.run(
            """
            INSERT INTO syncitems (
                name, class, number, version, base, dotdevice, dotzone, dotnumber, state, zone, digest)
            VALUES (?1, (SELECT class FROM syncchanges WHERE name = ?1),
                (SELECT rownumber FROM syncchanges WHERE name = ?1), ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET version = excluded.version, base = excluded.base,
                dotdevice = excluded.dotdevice, dotzone = excluded.dotzone, dotnumber = excluded.dotnumber,
                state = excluded.state, zone = excluded.zone, digest = excluded.digest
            """, [.bytes(name)] + known.values)
        try RowListings.forgetWaitingPlace(connection, name)
    }

    package func setSyncReplaced(_ known: SyncVersionRow?, named name: [UInt8]) throws(ItemDatabaseFailure) {
        guard let known else { return try connection.run("DELETE FROM syncreplaced WHERE name = ?", [.bytes(name)]) }
        try connection.run(
            """
            INSERT OR REPLACE INTO syncreplaced (name, version, base, dotdevice, dotzone, dotnumber, state, zone, digest)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, [.bytes(name)] + known.values)
    }

    /// Removes a change that has its version now. A later change of the name stays.
    /// - Parameter number: that of the change that was reported.
    package func forgetSyncChange(of name: [UInt8], upTo number: Int64) throws(ItemDatabaseFailure) {
        let condition = "name = ? AND number <= ?"
        let values = [ColumnValue.bytes(name), .integer(number)]
        try RowListings.settleUnnamed(connection, ofChangeOf: name, upTo: number)
        try RowListings.keepPlaces(connection, ofChangesWhere: condition, values)
        try connection.run("DELETE FROM syncchanges WHERE " + condition, values)
        if connection.changedRows > 0 { try forgetSyncName(name) }
    }

    /// Lists a row that has just been named, or that the rules leave out after all.
    package func list(_ place: RowPlace, as listing: RowListing) throws(ItemDatabaseFailure) {
        try RowListings.name(connection, place, listing)
    }

    /// Forgets a name that has no row, no version and no change.
    private func forgetSyncName(_ name: [UInt8]) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            DELETE FROM syncitems WHERE name = ?1 AND number IS NULL AND version IS NULL
                AND NOT EXISTS (SELECT 1 FROM syncchanges WHERE name = ?1)
            """, [.bytes(name)])
    }
}

extension SyncVersionRow {
    fileprivate var values: [ColumnValue] {
        [
            .bytes(version), ColumnValue(base), ColumnValue(dot?.device), ColumnValue(dot.map { Int64($0.zone) }),
            dot.map { .unsigned($0.number) } ?? .null, .integer(Int64(state)), .integer(Int64(zone)),
            ColumnValue(digest),
        ]
    }
}

extension TableRow {
    /// Reads the columns of a version, which begin at `first`.
    fileprivate func version(from first: Int) throws(ItemDatabaseFailure) -> SyncVersionRow {
        SyncVersionRow(
            version: try bytes(first, count: SyncVersionRow.versionByteCount),
            base: try bytesIfAny(first + 1, count: SyncVersionRow.versionByteCount),
            dot: isNull(first + 2) ? nil : try dot(from: first + 2), state: try byte(first + 5),
            zone: try byte(first + 6), digest: try bytesIfAny(first + 7, count: SharedContent.digestByteCount))
    }

    /// Reads device, zone and number, which begin at `first`.
    func dot(from first: Int) throws(ItemDatabaseFailure) -> SyncDotRow {
        SyncDotRow(
            device: try bytes(first, count: SyncDotRow.deviceByteCount), zone: try byte(first + 1),
            number: try unsigned(first + 2))
    }
}
