package import LatchkeyItemModel

/// Rows of formats before 9 that may have the digest of an item with conditions among their sealed attributes: those of
/// one table and protection class up to a number. The service looks through them from the last one while it has the key.
package struct FormerDigests: Sendable, Hashable {
    /// A table with sealed attributes.
    package enum Shelf: Sendable, Hashable {
        case items(ItemClass)
        case quarantine
        case conflicts

        var table: String {
            switch self {
            case .items(let itemClass): itemClass.rawValue
            case .quarantine: "quarantine"
            case .conflicts: "syncconflicts"
            }
        }

        fileprivate var numberColumn: String {
            if case .items = self { "rowid" } else { "id" }
        }

        fileprivate var classColumn: String {
            if case .items(let itemClass) = self { "'\(itemClass.rawValue)'" } else { "class" }
        }

        fileprivate init?(_ table: String) {
            switch table {
            case Self.quarantine.table: self = .quarantine
            case Self.conflicts.table: self = .conflicts
            default:
                guard let itemClass = ItemClass(rawValue: table), ItemSchema.of(itemClass) != nil else { return nil }
                self = .items(itemClass)
            }
        }
    }

    package let shelf: Shelf
    package let keyClass: UInt8
    package let last: Int64

    package init(shelf: Shelf, keyClass: UInt8, last: Int64) {
        self.shelf = shelf
        self.keyClass = keyClass
        self.last = last
    }
}

/// Some of the rows that may have a former digest.
package struct FormerDigestPage: Sendable {
    /// The rows without their secrets, by their numbers in their table. Rows with values of a wrong type are left out.
    package let rows: [Int64: ItemRow]
    /// The rest of the rows; nil if this page was the last one.
    package let next: FormerDigests?
}

extension ItemReader {
    /// Returns what is to be looked through for former digests. Empty in a file that began with format 9.
    package func formerDigests() throws(ItemDatabaseFailure) -> [FormerDigests] {
        var found: [FormerDigests] = []
        for row in try connection.table("SELECT class, pdmn, last FROM formerdigests") {
            guard let shelf = FormerDigests.Shelf(try row.text(0)) else { continue }
            found.append(FormerDigests(shelf: shelf, keyClass: try row.byte(1), last: try row.integer(2)))
        }
        return found
    }

    package func page(of former: FormerDigests, limit: Int) throws(ItemDatabaseFailure) -> FormerDigestPage {
        let (number, table) = (former.shelf.numberColumn, former.shelf.table)
        let found = try connection.table(
            """
            SELECT \(number), \(former.shelf.classColumn), agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes,
                itemkey, bound, NULL
            FROM \(table) WHERE \(number) <= ? AND pdmn = ? ORDER BY \(number) DESC LIMIT ?
            """, [.integer(former.last), .integer(Int64(former.keyClass)), .integer(Int64(limit))])
        var rows: [Int64: ItemRow] = [:]
        for row in found {
            if let copied = try? row.copiedRow(from: 1) { rows[try row.integer(0)] = copied }
        }
        let end = try found.count < limit ? nil : found.last?.integer(0)
        let next = end.flatMap { end in
            end == .min ? nil : FormerDigests(shelf: former.shelf, keyClass: former.keyClass, last: end - 1)
        }
        return FormerDigestPage(rows: rows, next: next)
    }
}

extension ItemWriter {
    /// Writes the attributes of a row that has lost its former digest. The rest of the row does not change.
    package func setAttributes(
        _ sealed: [UInt8], ofRow number: Int64, in shelf: FormerDigests.Shelf
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            "UPDATE \(shelf.table) SET attributes = ? WHERE \(shelf.numberColumn) = ?",
            [.bytes(sealed), .integer(number)])
    }

    /// Remembers how far former digests were looked for.
    /// - Parameter next: nil at the end.
    package func finish(_ former: FormerDigests, next: FormerDigests?) throws(ItemDatabaseFailure) {
        let place: [ColumnValue] = [.text(former.shelf.table), .integer(Int64(former.keyClass))]
        guard let next else {
            try connection.run("DELETE FROM formerdigests WHERE class = ? AND pdmn = ?", place)
            // The file and its log have the digests until the log is copied into the file and cut off.
            return try FormerPages.setUnclean(connection)
        }
        try connection.run(
            "UPDATE formerdigests SET last = ? WHERE class = ? AND pdmn = ?", [.integer(next.last)] + place)
    }
}

extension FormerDigests {
    /// Lets a copy that was just made of a row be looked through, if the row might have a former digest.
    static func follow(
        _ connection: ConnectionStatements, from itemClass: ItemClass, to shelf: Shelf
    ) throws(ItemDatabaseFailure) {
        try connection.run(
            """
            INSERT OR REPLACE INTO formerdigests
            SELECT '\(shelf.table)', pdmn, \(shelf.numberColumn) FROM \(shelf.table)
            WHERE \(shelf.numberColumn) = last_insert_rowid()
                AND pdmn IN (SELECT pdmn FROM formerdigests WHERE class = ?)
            """, [.text(itemClass.rawValue)])
    }
}
