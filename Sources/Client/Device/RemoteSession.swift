import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory
import LatchkeyThreading

/// An authentication context at a daemon: a connection of its own. When it closes, because the context is invalidated
/// or because the program ends, the daemon takes its prompt away and forgets the user's proofs.
final class RemoteSession: AuthenticationSession {
    private enum State {
        case unused
        case open(ClientConnection)
        /// `wasLost`: not by this side's will.
        case over(wasLost: Bool)
    }

    private let socketPath: String
    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let state = ForkMutex(State.unused)
    /// The process that made the session: the daemon takes no call of another one over its connection.
    private let process = ProcessMark.current

    init(socketPath: String, connect: @escaping @Sendable () throws(TransportFailure) -> ClientConnection) {
        self.socketPath = socketPath
        self.connect = connect
    }

    deinit {
        end()
    }

    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        let answer: Result<Question.Answer, AuthenticationRefusal> = answer(to: question.message) {
            try Question.answer(in: $0)
        } orElse: {
            .failure($0.authenticationRefusal)
        }
        return try answer.get()
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        if request.mayFindMany {
            return answer {
                try FindInParts(request).answer { try call($0) }.get()
            } orElse: {
                $0.itemReply
            }
        }
        return answer(to: MessageCoding.encode(request)) {
            try MessageCoding.decodeItemReply(body: $0.body, secrets: $0.secrets)
        } orElse: {
            $0.itemReply
        }
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        if let refusal = question.lengthRefusal { throw refusal }
        let answer: Result<Question.Answer, EnclaveKeyRefusal> = answer(to: question.message) {
            try Question.answer(in: $0)
        } orElse: {
            .failure($0.keyRefusal)
        }
        return try answer.get()
    }

    func end() {
        guard process == .current else { return }
        let connection = state.withLock { state -> ClientConnection? in
            guard case .open(let connection) = state else {
                if case .unused = state { state = .over(wasLost: false) }
                return nil
            }
            state = .over(wasLost: false)
            return connection
        }
        connection?.shutdown()
    }

    private func answer<Reply>(
        to question: WireMessage, read: (WireMessage) throws -> Reply, orElse: (RemoteFailure) -> Reply
    ) -> Reply {
        answer {
            try read(call(question))
        } orElse: {
            orElse($0)
        }
    }

    private func answer<Reply>(_ body: () throws -> Reply, orElse: (RemoteFailure) -> Reply) -> Reply {
        do {
            return try body()
        } catch let ending as Ending {
            return orElse(RemoteFailure(.authFailed, ending.error, ending.refusal))
        } catch {
            return orElse(RemoteFailure(error, socketPath: socketPath))
        }
    }

    private func call(_ message: WireMessage) throws -> WireMessage {
        guard process == .current else { throw Ending.inParent }
        let connection = try openConnection()
        do throws(TransportFailure) {
            return try connection.call(message)
        } catch {
            // A message that was too large left the connection as it was.
            if case .tooLarge = error, connection.isOpen { throw error }
            let wasEnded = state.withLock { state in
                if case .over = state { return true }
                state = .over(wasLost: true)
                return false
            }
            throw wasEnded ? Ending.underWay : error
        }
    }

    private func openConnection() throws -> ClientConnection {
        try state.withLock { state in
            switch state {
            case .open(let connection): return connection
            case .over(let wasLost): throw wasLost ? Ending.lost : Ending.before
            case .unused:
                let connection = try connect()
                state = .open(connection)
                return connection
            }
        }
    }
}

/// The session was over before its call was.
private enum Ending: Error {
    case before
    case underWay
    case lost
    /// A parent of this process opened it.
    case inParent

    var error: AuthenticationError { self == .underWay ? .appCancel : .invalidContext }

    var refusal: Refusal {
        switch self {
        case .before:
            EndedSession.refusal
        case .underWay:
            Refusal(.appCancelled)
        case .lost:
            Refusal(.contextLost)
        case .inParent:
            Refusal(.processForked)
        }
    }
}
