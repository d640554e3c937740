import LatchkeyItemModel

/// The numbers of the change sequence, which orders the changes of synchronizable rows for sync. No number is used
/// twice: the number of a row that is removed is kept in `rownumbers`.
enum ChangeNumbers {
    private static let highestQuery = """
        SELECT max(
            (SELECT max(change) FROM rownumbers),
            \(ItemSchema.all.map { highest(of: $0.itemClass) }.joined(separator: ",\n    ")))
        """

    private static func highest(of itemClass: ItemClass) -> String {
        "coalesce((SELECT max(change) FROM \(itemClass.rawValue) WHERE sync = 1), 0)"
    }

    /// Returns the next number. A row that is written with it keeps it; otherwise call ``keepUsed(_:_:)``.
    static func next(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) -> Int64 {
        let last = try connection.integer(highestQuery) ?? 0
        guard last < .max else { throw .damaged("a change has the highest number that there is") }
        return last + 1
    }

    /// Returns the next number for a change that leaves no row with it.
    static func nextOfNoRow(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) -> Int64 {
        let next = try next(connection)
        try keepUsed(connection, next)
        return next
    }

    static func keepUsed(_ connection: ConnectionStatements, _ number: Int64) throws(ItemDatabaseFailure) {
        try connection.run("UPDATE rownumbers SET change = ?1 WHERE change < ?1", [.integer(number)])
    }

    /// Keeps the number of a row that is about to be removed or to lose its number.
    static func keepUsed(
        _ connection: ConnectionStatements, ofRow rowID: Int64, in itemClass: ItemClass
    ) throws(ItemDatabaseFailure) {
        let query = "SELECT change FROM \(itemClass.rawValue) WHERE rowid = ? AND sync = 1"
        if let number = try connection.integer(query, [.integer(rowID)]) { try keepUsed(connection, number) }
    }

    /// Keeps the numbers of all rows.
    static func keepAllUsed(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        try keepUsed(connection, try next(connection) - 1)
    }
}
