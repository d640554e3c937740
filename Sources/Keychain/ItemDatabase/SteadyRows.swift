/// The rows of one state of the database, as long as this object lives: what is written meanwhile does not show.
///
/// For one thread at a time, and for one search: SQLite cannot begin its log anew while an old state is read.
package final class SteadyRows: RowReading {
    private let connections: SearchConnections
    private let connection: SearchConnection
    private var hasFailed = false

    init(_ connections: SearchConnections) throws(ItemDatabaseFailure) {
        let connection = try connections.take()
        do throws(ItemDatabaseFailure) {
            // The state is that of the first read.
            try connection.run("BEGIN")
        } catch {
            connections.drop(connection)
            throw error
        }
        self.connections = connections
        self.connection = connection
    }

    deinit {
        // A connection is not used again after an error.
        if !hasFailed, (try? connection.run("ROLLBACK")) != nil {
            connections.giveBack(connection)
        } else {
            connections.drop(connection)
        }
    }

    private func reading<Found>(
        _ body: () throws(ItemDatabaseFailure) -> Found
    ) throws(ItemDatabaseFailure) -> Found {
        do throws(ItemDatabaseFailure) {
            return try body()
        } catch {
            hasFailed = true
            throw error
        }
    }

    package func rows(
        matching filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try reading { () throws(ItemDatabaseFailure) in
            try connection.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret)
        }
    }

    package func rowNumbers(matching filter: RowFilter, after rowID: Int64) throws(ItemDatabaseFailure) -> [Int64] {
        try reading { () throws(ItemDatabaseFailure) in try connection.rowNumbers(matching: filter, after: rowID) }
    }
}
