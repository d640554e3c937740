import Dispatch
import Synchronization

/// Connections to one server, as many as calls run at the same time up to a limit; further calls wait their turn.
package final class ConnectionPool: Sendable {
    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let idle = Mutex<[ClientConnection]>([])

    private let turns = DispatchSemaphore(value: ConnectionPool.limit)

    /// Fewer than any server takes, so that a busy process is slowed down rather than refused.
    package static let limit = 32

    /// `connect` makes one connection.
    package init(connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection) {
        self.connect = connect
    }

    /// Sends a message and waits for its answer; connects anew, once, if the server was restarted meanwhile.
    ///
    /// A message that may have been acted on is repeated only if `mayRepeat` says that it does no harm.
    package func call(_ message: WireMessage, mayRepeat: Bool) throws(TransportFailure) -> WireMessage {
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
        // The others lead to the server that is gone as well.
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
            // Nothing was sent and the connection is as good as before.
            if case .tooLarge = error, connection.isOpen { keep(connection) }
            throw error
        }
    }

    private func keep(_ connection: ClientConnection) {
        idle.withLock { $0.append(connection) }
    }
}
