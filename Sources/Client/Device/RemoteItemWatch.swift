import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyThreading

/// Follows the items at a daemon, over a connection of its own. When the daemon goes away it waits for the next one.
final class RemoteItemWatch: ItemWatch {
    private struct State {
        var connection: ClientConnection?
        /// That of the daemon at the other end of the connection.
        var known: ItemChangeCount?
        /// Items may have changed since the last daemon answered.
        var hasMissed = false
        var pause = shortestPause
    }

    private static let shortestPause = 0.25
    private static let longestPause = 4.0

    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let ending = Cancellation()
    private let state = ForkMutex(State())

    init(connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection) {
        self.connect = connect
        ending.whenCancelled { [weak self] in self?.state.withLock { $0.connection }?.shutdown() }
    }

    deinit {
        end()
    }

    func begin() {
        if ask() == nil { lose() }
    }

    func next() -> Bool {
        while !ending.isCancelled {
            let former = state.withLock { $0.known }
            switch ask() {
            case .success(let count)?:
                let isChange = state.withLock { state in
                    defer { if former == nil { state.hasMissed = false } }
                    return former.map { $0 != count } ?? state.hasMissed
                }
                if isChange { return !ending.isCancelled }
            case .failure(.tooMany)?:
                end()
            case .failure(.deviceEnds)?, nil:
                lose()
                pause()
            }
        }
        return false
    }

    func end() {
        ending.cancel()
    }

    /// Nil if the daemon cannot be reached.
    private func ask() -> Result<ItemChangeCount, ItemWatchEnded>? {
        guard let connection = openConnection() else { return nil }
        let question = AwaitItemChange(after: state.withLock { $0.known })
        guard let message = try? connection.call(question.message),
            let answer = try? AwaitItemChange.answer(in: message)
        else { return nil }
        if case .success(let count) = answer {
            state.withLock { state in
                state.pause = question.known == nil ? state.pause : Self.shortestPause
                state.known = count
            }
        }
        return answer
    }

    private func lose() {
        let connection = state.withLock { state in
            state.known = nil
            state.hasMissed = true
            defer { state.connection = nil }
            return state.connection
        }
        connection?.shutdown()
    }

    /// Longer each time, until a daemon has answered twice.
    private func pause() {
        let seconds = state.withLock { state in
            defer { state.pause = min(state.pause * 2, Self.longestPause) }
            return state.pause
        }
        ending.wait(atMost: seconds)
    }

    private func openConnection() -> ClientConnection? {
        if let known = state.withLock({ $0.connection }) { return known }
        guard !ending.isCancelled, let made = try? connect() else { return nil }
        state.withLock { $0.connection = made }
        // If the watch ended meanwhile, its end did not see this connection.
        if ending.isCancelled { made.shutdown() }
        return made
    }
}
