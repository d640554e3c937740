import LatchkeyItemModel

/// A version of an item that lost, kept so that it can be restored: a row of `syncconflicts`.
package struct SyncConflictRow: Sendable {
    /// The reason why the version is not the item.
    package enum Reason: UInt8, Sendable, Hashable {
        /// A greater version whose author did not have this one, or an item of another device in place of one that was
        /// not shared.
        case overruled = 1
        /// A deletion on another device.
        case deleted = 2
        /// A device that joined and its circle had different items of one name.
        case joined = 3
        /// The user restored another version in its place.
        case replaced = 4
    }

    package let id: Int64
    package let name: [UInt8]
    /// Nil for an item that had no version.
    package let version: [UInt8]?
    package let reason: Reason
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    package let kept: Int64
    /// A copy of the item row. It has the number 0, and its tokens are missing.
    package let row: ItemRow
}

/// The statements of `syncconflicts`.
extension ItemWriter {
    /// The number of conflicts that are kept. The oldest are deleted first.
    package static let syncConflictLimit: Int64 = 1000
    /// The time that a conflict is kept: 90 days, in microseconds.
    package static let syncConflictAge: Int64 = 90 * 86_400_000_000

    /// Keeps a copy of an item row as it is, unless there is one. The row stays sealed, so this works on a locked
    /// device. Conflicts that are too old, or too many, are deleted.
    package func keepSyncConflict(
        rowAt place: RowPlace, name: [UInt8], version: [UInt8]?, reason: SyncConflictRow.Reason, at microseconds: Int64
    ) throws(ItemDatabaseFailure) {
        let copied =
            "agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes, itemkey, secret, bound"
        try connection.run(
            """
            INSERT INTO syncconflicts (name, version, reason, kept, class, \(copied))
            SELECT ?1, ?2, ?3, ?4, ?5, \(copied) FROM \(place.itemClass.rawValue) AS item WHERE rowid = ?6
                AND NOT EXISTS (
                    SELECT 1 FROM syncconflicts
                    WHERE name = ?1 AND attributes = item.attributes AND secret IS item.secret)
            """,
            [
                .bytes(name), ColumnValue(version), .integer(Int64(reason.rawValue)), .integer(microseconds),
                .text(place.itemClass.rawValue), .integer(place.rowID),
            ])
        try FormerDigests.follow(connection, from: place.itemClass, to: .conflicts)
        try forgetOldSyncConflicts(at: microseconds)
    }

    /// Keeps an item that has no row here, sealed as if it had one. Conflicts that are too old, or too many, are deleted.
    package func keepSyncConflict(
        row: ItemRow, name: [UInt8], version: [UInt8]?, reason: SyncConflictRow.Reason, at microseconds: Int64
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT INTO syncconflicts (name, version, reason, kept, class, agrp, pdmn, sync, tomb, cdat, mdat, persistref,
                uuid, attributes, itemkey, secret, bound)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .bytes(name), ColumnValue(version), .integer(Int64(reason.rawValue)), .integer(microseconds),
                .text(row.itemClass.rawValue), .text(row.accessGroup), .integer(Int64(row.keyClass)),
                .integer(row.isSynchronizable ? 1 : 0), .integer(row.isTombstone ? 1 : 0),
                .integer(row.creationDate), .integer(row.modificationDate), .bytes(row.identifier),
                .bytes(row.syncIdentifier), .bytes(row.sealedAttributes), ColumnValue(row.wrappedItemKey),
                ColumnValue(row.sealedSecret), ColumnValue(row.binding),
            ])
        try forgetOldSyncConflicts(at: microseconds)
    }

    /// - Returns: false if there is no conflict of this number.
    @discardableResult
    package func deleteSyncConflict(_ id: Int64) throws(ItemDatabaseFailure) -> Bool {
        try connection.run("DELETE FROM syncconflicts WHERE id = ?", [.integer(id)])
        return connection.changedRows > 0
    }

    /// Every path that keeps a conflict comes by here, so that none can forget the limits.
    private func forgetOldSyncConflicts(at now: Int64) throws(ItemDatabaseFailure) {
        try connection.run("DELETE FROM syncconflicts WHERE kept < ?", [.integer(now - Self.syncConflictAge)])
        try connection.run(
            "DELETE FROM syncconflicts WHERE id IN (SELECT id FROM syncconflicts ORDER BY id DESC LIMIT -1 OFFSET ?)",
            [.integer(Self.syncConflictLimit)])
    }
}

extension ItemReader {
    /// Returns the conflicts, the oldest first.
    /// - Parameter withSecret: false to get empty secrets in place of sealed ones.
    package func syncConflicts(withSecret: Bool = true) throws(ItemDatabaseFailure) -> [SyncConflictRow] {
        let secret = withSecret ? "secret" : "CASE typeof(secret) WHEN 'null' THEN NULL ELSE x'' END"
        return try conflicts("SELECT \(Self.conflictColumns), \(secret) FROM syncconflicts ORDER BY id")
    }

    package func syncConflict(_ id: Int64) throws(ItemDatabaseFailure) -> SyncConflictRow? {
        try conflicts(
            "SELECT \(Self.conflictColumns), secret FROM syncconflicts WHERE id = ?", [.integer(id)]
        ).first
    }

    private static let conflictColumns = """
        id, name, version, reason, kept, class, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes, itemkey, \
        bound
        """

    private func conflicts(
        _ sql: String, _ values: [ColumnValue] = []
    ) throws(ItemDatabaseFailure) -> [SyncConflictRow] {
        var conflicts: [SyncConflictRow] = []
        for row in try connection.table(sql, values) {
            guard let reason = SyncConflictRow.Reason(rawValue: try row.byte(3)) else {
                throw .damaged("syncconflicts has an unknown reason")
            }
            conflicts.append(
                SyncConflictRow(
                    id: try row.integer(0), name: try row.bytes(1, count: SharedContent.nameByteCount),
                    version: try row.bytesIfAny(2, count: SyncVersionRow.versionByteCount), reason: reason,
                    kept: try row.integer(4), row: try row.copiedRow(from: 5)))
        }
        return conflicts
    }
}

extension TableRow {
    /// Reads the copy of an item row, whose columns begin with the class at `first`.
    func copiedRow(from first: Int) throws(ItemDatabaseFailure) -> ItemRow {
        guard let itemClass = ItemClass(rawValue: try text(first)) else {
            throw .damaged("the copy of a row names an unknown class")
        }
        return ItemRow(
            rowID: 0, itemClass: itemClass, accessGroup: try text(first + 1), keyClass: try byte(first + 2),
            isSynchronizable: try integer(first + 3) != 0, isTombstone: try integer(first + 4) != 0,
            creationDate: try integer(first + 5), modificationDate: try integer(first + 6),
            identifier: try bytes(first + 7), syncIdentifier: try bytes(first + 8), primaryKey: [], tokens: [:],
            binding: try binding(first + 11), sealedAttributes: try bytes(first + 9),
            sealedSecret: try bytesIfAny(first + 12), wrappedItemKey: try bytesIfAny(first + 10))
    }

    private func binding(_ column: Int) throws(ItemDatabaseFailure) -> RowBinding {
        if isNull(column) { return .none }
        return switch try integer(column) {
        case 0: .withoutSecret
        case 1: .withSecret
        default: .unknown
        }
    }
}
