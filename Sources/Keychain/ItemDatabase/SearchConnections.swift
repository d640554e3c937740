import LatchkeyItemModel
import Synchronization

/// Connections for searches, as many as searches run at the same time.
final class SearchConnections: Sendable {
    private struct State {
        var idle: [SearchConnection] = []
        var isClosed = false
    }

    private static let idleLimit = 8

    private let path: String
    private let state = Mutex(State())

    init(path: String) {
        self.path = path
    }

    func rows(_ selection: RowSelection, _ itemClass: ItemClass) throws(ItemDatabaseFailure) -> [ItemRow] {
        let idle = state.withLock { $0.idle.popLast() }
        let connection = if let idle { idle } else { try SearchConnection(path: path) }
        let rows = try connection.rows(selection, itemClass)
        // One that failed is not used again.
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.idleLimit { state.idle.append(connection) }
        }
        return rows
    }

    /// Closes what is idle, so that the last connection of the writer can tidy up the log.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        // Their files are closed outside of the lock.
        withExtendedLifetime(idle) {}
    }
}
