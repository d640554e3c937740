import LatchkeyItemModel

/// Rows that have a name, or had one, and wait for it again.
///
/// What such a row has of its version is stored with it. A row that its version has as it is must go with what other
/// devices write, and one that has something else must not; afterwards no date tells them apart.
extension ItemWriter {
    /// Lets every synchronizable row wait for its name: the rules by which rows are shared have changed.
    package func nameAllAgain() throws(ItemDatabaseFailure) {
        for schema in ItemSchema.all {
            let table = schema.itemClass.rawValue
            // The name in a row may be that of a former listing.
            let hasRow = "class = '\(table)' AND syncitems.number = \(table).rowid"
            try connection.run(
                """
                INSERT OR IGNORE INTO syncunnamed (class, number, origin)
                SELECT ?, rowid, CASE
                    WHEN EXISTS (
                        SELECT 1 FROM syncchanges AS waiting
                        WHERE name = \(table).syncname AND kind = 1 AND \(SyncStampRow.isRestored)
                            AND (waiting.class = '\(table)' AND waiting.rownumber = \(table).rowid
                                OR EXISTS (SELECT 1 FROM syncitems WHERE name = \(table).syncname AND \(hasRow))))
                    THEN \(SyncStampRow.restoredOrigin)
                    WHEN EXISTS (SELECT 1 FROM syncitems WHERE name = \(table).syncname AND \(hasRow) AND state = 1)
                        AND NOT EXISTS (SELECT 1 FROM syncchanges WHERE name = \(table).syncname)
                    THEN \(SyncStampRow.namedAgainOrigin)
                    ELSE 0 END
                FROM \(table) WHERE sync = 1 AND tomb = 0
                """, [.text(table)])
        }
    }

    /// Lets a row wait for its name that no version has as it is, after which it is reported as a change.
    /// - Parameter isRestored: true for a row of a backup that no version has had.
    package func nameAgain(_ place: RowPlace, isRestored: Bool) throws(ItemDatabaseFailure) {
        let stamp = isRestored ? SyncStampRow.restored : .none
        // One that waits already keeps its origin, unless it was to be as a version that the circle does not have.
        try connection.run(
            """
            INSERT INTO syncunnamed (class, number, \(SyncStampRow.columns)) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (class, number) DO UPDATE SET origin = excluded.origin WHERE \(SyncStampRow.isNamedAgain)
            """, [.text(place.itemClass.rawValue), .integer(place.rowID)] + stamp.values)
    }
}

extension RowListings {
    /// A change is about to be forgotten because the version of its item has it: its row, if that waits for its name,
    /// is as the version now.
    static func settleUnnamed(
        _ connection: ConnectionStatements, ofChangeOf name: [UInt8], upTo number: Int64
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            UPDATE syncunnamed SET origin = \(SyncStampRow.namedAgainOrigin)
            WHERE (class, number) IN (
                SELECT item.class, item.number FROM syncchanges AS waiting JOIN syncitems AS item USING (name)
                WHERE name = ? AND waiting.number <= ? AND kind = 1 AND state = 1 AND item.digest = waiting.digest)
                AND NOT \(SyncStampRow.isOfCall)
            """, [.bytes(name), .integer(number)])
    }
}
