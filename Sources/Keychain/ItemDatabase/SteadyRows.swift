/// The rows of one state of the database, as long as this object lives: what is written meanwhile does not show.
///
/// For one thread at a time, and for one search: SQLite cannot begin its log anew while an old state is read.
package final class SteadyRows: RowReading {
    private let connections: SearchConnections
    private let connection: SearchConnection

    init(_ connections: SearchConnections) throws(ItemDatabaseFailure) {
        self.connections = connections
        connection = try connections.take()
        do throws(ItemDatabaseFailure) {
            // The state is that of the first read.
            try connection.run("BEGIN")
        } catch {
            connections.drop(connection)
            throw error
        }
    }

    deinit {
        do throws(ItemDatabaseFailure) {
            try connection.run("ROLLBACK")
            connections.giveBack(connection)
        } catch {
            // SQLite has ended the transaction because of an error.
            connections.drop(connection)
        }
    }

    package func rows(
        matching filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try connection.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret)
    }

    package func rowNumbers(matching filter: RowFilter, after rowID: Int64) throws(ItemDatabaseFailure) -> [Int64] {
        try connection.rowNumbers(matching: filter, after: rowID)
    }
}
