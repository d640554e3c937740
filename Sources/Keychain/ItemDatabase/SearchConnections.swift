import LatchkeyItemModel
import LatchkeyThreading

/// The connections for searches; there are as many as searches that run at the same time.
///
/// One of them has a large cache and is used first, so it serves all searches that do not overlap.
final class SearchConnections: Sendable {
    private struct State {
        var idle: [SearchConnection] = []
        /// True if the connection with the large cache exists or is being opened.
        var hasLarge = false
        var isClosed = false
    }

    private static let idleLimit = 8

    private let path: String
    private let state = ForkMutex(State())

    init(path: String) {
        self.path = path
    }

    /// Calls `body` with a connection that is its alone until it returns.
    func with<Found>(
        _ body: (SearchConnection) throws(ItemDatabaseFailure) -> Found
    ) throws(ItemDatabaseFailure) -> Found {
        let connection = try take()
        let found: Found
        do throws(ItemDatabaseFailure) {
            found = try body(connection)
        } catch {
            drop(connection)
            throw error
        }
        giveBack(connection)
        return found
    }

    /// Returns a connection that is the caller's alone until it gives it back or drops it.
    func take() throws(ItemDatabaseFailure) -> SearchConnection {
        let (idle, cache) = state.withLock { state -> (SearchConnection?, SearchConnection.Cache) in
            if let idle = state.idle.popLast() { return (idle, idle.cache) }
            defer { state.hasLarge = true }
            return (nil, state.hasLarge ? .small : .large)
        }
        if let idle { return idle }
        do throws(ItemDatabaseFailure) {
            return try SearchConnection(path: path, cache: cache)
        } catch {
            if cache == .large { state.withLock { $0.hasLarge = false } }
            throw error
        }
    }

    /// Does not use a connection again, after an error.
    func drop(_ connection: SearchConnection) {
        if connection.cache == .large { state.withLock { $0.hasLarge = false } }
    }

    func giveBack(_ connection: SearchConnection) {
        state.withLock { state in
            guard !state.isClosed, connection.cache == .large || state.idle.count < Self.idleLimit else { return }
            state.idle.insert(connection, at: connection.cache == .large ? state.idle.endIndex : 0)
        }
    }

    /// Closes the idle connections, so that the writer's last connection can clean up the log.
    func close() {
        let idle = state.withLock { state in
            state.isClosed = true
            defer { state.idle = [] }
            return state.idle
        }
        // The connections close their files here, outside of the lock.
        withExtendedLifetime(idle) {}
    }
}
