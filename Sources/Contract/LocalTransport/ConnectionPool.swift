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
        let turns = turns.object
        turns.wait()
        defer { turns.signal() }
        guard let known = idle.withLock({ $0.popLast() }) else {
            return try call(message, over: try connect())
        }
        do throws(TransportFailure) {
            return try call(message, over: known)
        } catch .closed {
            return try callAnew(message)
        } catch .lostAwaitingReply where mayRepeat {
            return try callAnew(message)
        }
    }

    private func callAnew(_ message: WireMessage) throws(TransportFailure) -> WireMessage {
        // The other connections lead to the same server, which is gone.
        idle.withLock { $0.removeAll() }
        return try call(message, over: try connect())
    }

    private func call(
        _ message: WireMessage, over connection: ClientConnection
    ) throws(TransportFailure) -> WireMessage {
        do throws(TransportFailure) {
            let reply = try connection.call(message)
            keep(connection)
            return reply
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
