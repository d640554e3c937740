import LatchkeyEncoding
package import LatchkeyItemModel

@_implementationOnly import GRDB

/// Statements that move ended items out of their tables, and search for them.
extension ItemWriter {
    /// Moves a row that can no longer be decrypted to the ended rows. Call ``forgetOldestEndedRows()`` after the last
    /// row of a transaction.
    package func end(_ row: ItemRow, as ending: Ending) throws(ItemDatabaseFailure) {
        guard let schema = ItemSchema.of(row.itemClass) else { throw .other(code: -1, message: "no table") }
        try connection.run(
            EndedTables.copy(schema, where: "rowid = ?"), Self.values(ending) + [.integer(row.rowID)])
        try delete(row)
    }

    /// Moves every row of a protection class whose class key was destroyed, and deletes the class's metadata key.
    /// - Returns: the number of rows.
    @discardableResult
    package func endRows(ofClass keyClass: UInt8, as ending: Ending) throws(ItemDatabaseFailure) -> Int {
        try RowNumbers.keepAllUsed(connection)
        var count = 0
        let keyClassValue = ColumnValue.integer(Int64(keyClass))
        for schema in ItemSchema.all {
            let table = schema.itemClass.rawValue
            try connection.run(EndedTables.copy(schema, where: "pdmn = ?"), Self.values(ending) + [keyClassValue])
            try RowListings.endAll(connection, of: table, where: "pdmn = ?", [keyClassValue])
            let groups = try connection.table("SELECT DISTINCT agrp FROM \(table) WHERE pdmn = ?", [keyClassValue])
            for case .text(let group) in groups.map({ $0.values[0] }) { connection.changedGroups.add(group) }
            try connection.run(
                """
                DELETE FROM otherrefs
                WHERE class = ? AND number IN (SELECT rowid FROM \(table) WHERE pdmn = ?)
                """, [.text(table), keyClassValue])
            try connection.run("DELETE FROM \(table) WHERE pdmn = ?", [keyClassValue])
            count += connection.changedRows
        }
        try forgetOldestEndedRows()
        try connection.run("DELETE FROM metadatakeys WHERE keyclass = ?", [keyClassValue])
        return count
    }

    /// Marks the rows as met by a search.
    /// - Returns: the number of rows that were not marked before.
    @discardableResult
    package func meetEndedRows(matching filter: RowFilter) throws(ItemDatabaseFailure) -> Int {
        let conditions = RowConditions(filter)
        let joint = conditions.forms.isEmpty ? " WHERE " : " AND "
        try connection.run(
            "UPDATE " + EndedTables.name(of: filter.itemClass) + " SET met = 1" + conditions.forms.sql + joint
                + "met = 0", conditions.values)
        return connection.changedRows
    }

    /// Records a change of the enrolled fingers. Items that were bound to the former set end at this time.
    package func recordFingerChange(at microseconds: Int64) throws(ItemDatabaseFailure) {
        try connection.run("INSERT OR REPLACE INTO fingerchanges (at) VALUES (?)", [.integer(microseconds)])
    }

    func forgetEndedRows() throws(ItemDatabaseFailure) {
        try translated {
            for schema in ItemSchema.all {
                try db.execute(sql: "DELETE FROM \(EndedTables.name(of: schema.itemClass))")
            }
            try db.execute(sql: "DELETE FROM fingerchanges")
        }
    }

    /// Deletes the oldest ended rows of each table that exceeds its limit.
    package func forgetOldestEndedRows() throws(ItemDatabaseFailure) {
        for schema in ItemSchema.all {
            let table = EndedTables.name(of: schema.itemClass)
            try connection.run(
                """
                DELETE FROM \(table) WHERE rowid IN
                    (SELECT rowid FROM \(table) ORDER BY ended DESC, rowid DESC LIMIT -1 OFFSET ?)
                """, [.integer(EndedTables.rowLimit)])
        }
    }

    private static func values(_ ending: Ending) -> [ColumnValue] {
        [
            .text(ending.reason.rawValue), .integer(ending.date.microsecondsSince2001),
            .integer(ending.isNoticedLater ? 1 : 0),
        ]
    }
}

extension ItemReader {
    /// Returns the matching rows of ended items, those that ended last first.
    package func endedRows(matching filter: RowFilter, limit: Int) throws(ItemDatabaseFailure) -> [EndedRow] {
        let conditions = RowConditions(filter)
        let sql =
            "SELECT agrp, cdat, reason, ended, noticed, met FROM " + EndedTables.name(of: filter.itemClass)
            + conditions.forms.sql + " ORDER BY ended DESC, rowid DESC LIMIT ?"
        let values = conditions.values + [.integer(Int64(limit))]
        return try translated {
            try Row.fetchAll(
                db, sql: sql, arguments: StatementArguments(values.map(\.databaseValue))
            ).compactMap { EndedRow($0, of: filter.itemClass) }
        }
    }

    /// Returns true if the class has ended items.
    package func hasEndedRows(of itemClass: ItemClass) throws(ItemDatabaseFailure) -> Bool {
        try connection.integer("SELECT 1 FROM \(EndedTables.name(of: itemClass)) LIMIT 1") != nil
    }

    /// Returns the counts by reason, in the order of ``EndReason``.
    package func endedCounts() throws(ItemDatabaseFailure) -> [EndedCount] {
        try translated {
            var found: [EndReason: (count: Int64, last: Int64)] = [:]
            for schema in ItemSchema.all {
                let table = EndedTables.name(of: schema.itemClass)
                let rows = try Row.fetchAll(
                    db, sql: "SELECT reason, count(*) AS number, max(ended) AS last FROM \(table) GROUP BY reason")
                for row in rows {
                    guard let reason = row.found("reason").flatMap({ EndReason(rawValue: $0) }),
                        let number: Int64 = row.found("number"), let last: Int64 = row.found("last")
                    else { continue }
                    let before = found[reason] ?? (0, .min)
                    found[reason] = (before.count + number, max(before.last, last))
                }
            }
            return EndReason.allCases.compactMap { reason in
                found[reason].map {
                    EndedCount(reason: reason, count: $0.count, lastDate: WallTime(microsecondsSince2001: $0.last))
                }
            }
        }
    }

    /// Returns the number of live rows in each access group, of one protection class or of all.
    package func itemCounts(ofClass keyClass: UInt8?) throws(ItemDatabaseFailure) -> [String: Int64] {
        try translated {
            try ItemSchema.all.reduce(into: [:]) { counts, schema in
                let condition = keyClass.map { "pdmn = \($0) AND " } ?? ""
                let rows = try Row.fetchAll(
                    db,
                    sql: """
                        SELECT agrp, count(*) AS number FROM \(schema.itemClass.rawValue)
                        WHERE \(condition)tomb = 0 GROUP BY agrp
                        """)
                for row in rows {
                    if let group: String = row.found("agrp"), let number: Int64 = row.found("number") {
                        counts[group, default: 0] += number
                    }
                }
            }
        }
    }

    /// Returns the first recorded change of the enrolled fingers at or after a time; nil if there is none.
    package func fingerChange(notBefore microseconds: Int64) throws(ItemDatabaseFailure) -> Int64? {
        try connection.integer("SELECT min(at) FROM fingerchanges WHERE at >= ?", [.integer(microseconds)])
    }
}

extension EndedRow {
    /// Returns nil if a value has the wrong type. Ended rows are only information, so a damaged one is ignored.
    fileprivate init?(_ row: Row, of itemClass: ItemClass) {
        guard let reason = row.found("reason").flatMap({ EndReason(rawValue: $0) }),
            let ended: Int64 = row.found("ended"), let created: Int64 = row.found("cdat"),
            let group: String = row.found("agrp")
        else { return nil }
        self.init(
            itemClass: itemClass, accessGroup: group,
            ending: Ending(
                reason, at: WallTime(microsecondsSince2001: ended), isNoticedLater: row.found("noticed") == Int64(1)),
            creationDate: created, isMet: row.found("met") == Int64(1))
    }
}

extension Row {
    /// Returns a column's value if it has the expected type.
    fileprivate func found<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
        Value.fromDatabaseValue(self[column] as DatabaseValue)
    }
}
