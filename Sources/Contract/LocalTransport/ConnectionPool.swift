import Dispatch
package import LatchkeySecretMemory

/// Connections to one server, as many as concurrent calls up to a limit; further calls wait their turn. A child of `fork` makes
/// connections of its own.
package final class ConnectionPool: Sendable {
    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let idle = ProcessMutex<[ClientConnection]>([])

    private let turns = ProcessOwned { DispatchSemaphore(value: ConnectionPool.limit) }

    /// Less than any server's limit, so that a busy process is slowed down rather than refused.
    package static let limit = 32

    /// `connect` makes one connection.
    package init(connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection) {
        self.connect = connect
    }

    /// Sends a message and waits for its reply; reconnects, once, if the server was restarted meanwhile.
    ///
    /// A message that may have been processed is repeated only if `mayRepeat` says that it does no harm.
    package func call(_ message: WireMessage, mayRepeat: Bool) throws(TransportFailure) -> WireMessage {
        try converse(mayRepeat: mayRepeat) { connection throws(TransportFailure) in try connection.call(message) }
    }

    /// Has messages answered over one connection. `body` runs again if the server has ended the connection before it
    /// received a message, or, if `mayRepeat` says so, before it answered one.
    package func converse<Outcome>(
        mayRepeat: Bool, _ body: (ClientConnection) throws(TransportFailure) -> Outcome
    ) throws(TransportFailure) -> Outcome {
        let turns = turns.object
        turns.wait()
        defer { turns.signal() }
        let known = idle.withLock { $0.popLast() }
        let connection = if let known { known } else { try connect() }
        do throws(TransportFailure) {
            return try converse(over: connection, body)
        } catch .closed {
            return try converseAnew(body)
        } catch .lostAwaitingReply where mayRepeat && known != nil {
            return try converseAnew(body)
        }
    }

    private func converseAnew<Outcome>(
        _ body: (ClientConnection) throws(TransportFailure) -> Outcome
    ) throws(TransportFailure) -> Outcome {
        // The other connections lead to the same server, which is gone.
        idle.withLock { $0.removeAll() }
        return try converse(over: try connect(), body)
    }

    private func converse<Outcome>(
        over connection: ClientConnection, _ body: (ClientConnection) throws(TransportFailure) -> Outcome
    ) throws(TransportFailure) -> Outcome {
        do throws(TransportFailure) {
            let outcome = try body(connection)
            keep(connection)
            return outcome
        } catch {
            // Nothing was sent, and the connection is still usable.
            if case .tooLarge = error, connection.isOpen { keep(connection) }
            throw error
        }
    }

    private func keep(_ connection: ClientConnection) {
        idle.withLock { $0.append(connection) }
    }
}
