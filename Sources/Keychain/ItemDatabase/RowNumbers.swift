import LatchkeyItemModel
import LatchkeyThreading

/// Assigns the numbers of new rows. A number is assigned before the row is sealed, because the persistent reference
/// begins with it.
///
/// A number is the time in microseconds, or one more than the last number if that is larger. Rows are therefore in the
/// order of their adds, even if the clock is set back, and no number is used twice.
final class RowNumbers: Sendable {
    private let last: ForkMutex<Int64>

    init(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        last = ForkMutex(try Self.last(connection))
    }

    /// Other processes assign numbers too. A collision needs the same microsecond or a clock that was set back.
    func catchUp(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        let found = try Self.last(connection)
        guard found < .max else { throw .damaged("a row has the highest number that there is") }
        last.withLock { $0 = max($0, found) }
    }

    private static func last(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) -> Int64 {
        var last = try connection.integer("SELECT last FROM rownumbers") ?? 0
        for schema in ItemSchema.all {
            do throws(ItemDatabaseFailure) {
                last = max(last, try highest(of: schema, connection) ?? 0)
            } catch {
                // A damaged table accepts no new row; the next read of the table reports the damage.
                guard case .damaged = error else { throw error }
            }
        }
        return last
    }

    private static func highest(
        of schema: ItemSchema, _ connection: ConnectionStatements
    ) throws(ItemDatabaseFailure) -> Int64? {
        try connection.integer("SELECT max(rowid) FROM \(schema.itemClass.rawValue)")
    }

    /// - Parameter microseconds: since 2001-01-01 00:00:00 UTC.
    func next(at microseconds: Int64) -> Int64 {
        last.withLock { last in
            // An attacker who has changed the file may have used the highest number: then the row finds it taken.
            last = max(last == .max ? last : last + 1, microseconds)
            return last
        }
    }

    /// Records the number of a deleted row, so that it is not used again.
    static func keepUsed(_ connection: ConnectionStatements, _ number: Int64) throws(ItemDatabaseFailure) {
        try connection.run("UPDATE rownumbers SET last = ?1 WHERE last < ?1", [.integer(number)])
    }

    /// Keeps the row numbers and the change numbers of all rows.
    static func keepAllUsed(_ connection: ConnectionStatements) throws(ItemDatabaseFailure) {
        try ChangeNumbers.keepAllUsed(connection)
        for schema in ItemSchema.all {
            if let last = try highest(of: schema, connection) {
                try keepUsed(connection, last)
            }
        }
    }
}
