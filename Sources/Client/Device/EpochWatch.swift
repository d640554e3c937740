import Glibc
import LatchkeyEnclaveContract
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySecretMemory
import LatchkeyThreading

/// Follows the key epoch of an enclave process over a connection of its own.
final class EpochWatch: Sendable {
    /// The enclave counts epochs from its start; how often it was lost makes them unique.
    struct Epoch: Sendable, Equatable {
        var restarts: UInt64
        var ofEnclave: UInt64

        var value: UInt64 { restarts << 40 | (ofEnclave & (1 << 40 - 1)) }
    }

    private struct State {
        var epoch = Epoch(restarts: 0, ofEnclave: 0)
        var connection: ClientConnection?
        var isStopped = false
        var afterChange: (@Sendable () -> Void)?
    }

    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let revive: (@Sendable () -> Void)?
    private let state: ForkMutex<State>

    private static let pauseMicroseconds: UInt32 = 50_000

    /// Asks for the epoch once, then starts the thread.
    init(
        connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection, revive: (@Sendable () -> Void)?
    ) throws(TransportFailure) {
        self.connect = connect
        self.revive = revive
        let connection = try connect()
        let first = try Self.epoch(over: connection)
        state = ForkMutex(State(epoch: Epoch(restarts: 0, ofEnclave: first), connection: connection))
        guard DetachedThread.start({ self.follow(connection) }) else {
            throw .system(call: "pthread_create", errno: EAGAIN)
        }
    }

    var current: Epoch { state.withLock { $0.epoch } }

    /// Takes an epoch that an answer named, if the enclave was not lost since the question; gives what is current.
    func advance(to number: UInt64, restarts: UInt64) -> UInt64 {
        state.withLock { state in
            if state.epoch.restarts == restarts { state.epoch.ofEnclave = max(state.epoch.ofEnclave, number) }
            return state.epoch.value
        }
    }

    func whenChanged(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.afterChange = body }
    }

    func stop() {
        let connection = state.withLock { state in
            state.isStopped = true
            return state.connection
        }
        connection?.shutdown()
    }

    private func follow(_ first: ClientConnection) {
        var connection: ClientConnection? = first
        while !state.withLock({ $0.isStopped }) {
            if let open = connection {
                let known = current
                // After a loss: the enclave is another one, or locked the device meanwhile.
                tellOfChange()
                wait(over: open, announced: known)
                lose()
                tellOfChange()
            }
            connection = reconnected()
            if connection == nil { usleep(Self.pauseMicroseconds) }
        }
    }

    /// Returns when the connection is over.
    /// - Parameter announced: the epoch that the last announcement was made for.
    private func wait(over connection: ClientConnection, announced: Epoch) {
        var announced = announced
        while true {
            let known = current
            // A call may have advanced the epoch, too. The enclave answers now and then without a change, so that lost
            // connections show.
            if known != announced {
                announced = known
                tellOfChange()
            }
            guard let number = try? Self.answer(to: AwaitKeyChange(after: known.ofEnclave), over: connection).value
            else {
                return
            }
            _ = advance(to: number, restarts: known.restarts)
        }
    }

    private func reconnected() -> ClientConnection? {
        guard !state.withLock({ $0.isStopped }) else { return nil }
        guard let connection = try? connect(), let number = try? Self.epoch(over: connection) else {
            revive?()
            return nil
        }
        return state.withLock { state in
            guard !state.isStopped else { return nil }
            // Not only at the loss: the enclave may have come and gone since.
            state.epoch = Epoch(restarts: state.epoch.restarts + 1, ofEnclave: number)
            state.connection = connection
            return connection
        }
    }

    private func lose() {
        state.withLock { state in
            state.epoch = Epoch(restarts: state.epoch.restarts + 1, ofEnclave: 0)
            state.connection = nil
        }
    }

    private func tellOfChange() {
        state.withLock { $0.afterChange }?()
    }

    private static func epoch(over connection: ClientConnection) throws(TransportFailure) -> UInt64 {
        try answer(to: AskStatus(), over: connection).keyEpoch
    }

    private static func answer<Question: EnclaveQuestion>(
        to question: Question, over connection: ClientConnection
    ) throws(TransportFailure) -> Question.Answer {
        let reply = try connection.call(question.message)
        guard let answer = try? question.answer(in: reply) else { throw .closed }
        return answer
    }
}
