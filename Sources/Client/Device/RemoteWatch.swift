import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyThreading

/// Follows lock and unlock at a daemon, over a connection of its own: one question is open at a time, and the daemon
/// answers it when something happens.
final class RemoteWatch: ProtectedDataWatch {
    private struct State {
        var connection: ClientConnection?
        var last: Int64?
        var isOver = false
    }

    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let state = ForkMutex(State())

    init(connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection) {
        self.connect = connect
    }

    deinit {
        end()
    }

    func next() -> ProtectedDataState? {
        guard let connection = openConnection() else { return nil }
        let question = AwaitEvent(after: state.withLock { $0.last })
        guard let answer = try? connection.call(question.message),
            case .success(let event)? = try? AwaitEvent.answer(in: answer)
        else {
            end()
            return nil
        }
        state.withLock { $0.last = event.number }
        return event.state
    }

    func end() {
        let connection = state.withLock { state in
            state.isOver = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.shutdown()
    }

    private func openConnection() -> ClientConnection? {
        if let known = state.withLock({ $0.isOver ? nil : $0.connection }) { return known }
        guard !state.withLock({ $0.isOver }), let made = try? connect() else { return nil }
        let isOver = state.withLock { state in
            if !state.isOver { state.connection = made }
            return state.isOver
        }
        guard isOver else { return made }
        made.shutdown()
        return nil
    }
}
