import LatchkeyEnclaveContract
import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyLocalTransport
import LatchkeySecretMemory

/// The keychain of a daemon. Calls may come from any thread; each that runs at the same time has its own connection.
package final class RemoteKeychain: Keychain {
    private let socketPath: String
    private let connect: @Sendable () throws(TransportFailure) -> ClientConnection
    private let connections: ConnectionPool

    /// Connects at the first call. `declaredCaller` is believed only by daemons of throwaway devices that accept
    /// declared callers; without it the daemon finds out itself which program calls.
    package init(socketPath: String, declaredCaller: Caller? = nil) {
        self.socketPath = socketPath
        let hello = declaredCaller.map { MessageCoding.encode($0) } ?? []
        connect = { () throws(TransportFailure) in
            try ClientConnection(connectingTo: socketPath, hello: hello, waitsForWelcome: false)
        }
        connections = ConnectionPool(connect: connect)
    }

    package func openSession() -> any AuthenticationSession {
        RemoteSession(socketPath: socketPath, connect: connect)
    }

    package func watchProtectedData() -> any ProtectedDataWatch {
        RemoteWatch(connect: connect)
    }

    package func watchItems() -> any ItemWatch {
        RemoteItemWatch(connect: connect)
    }

    package func perform(_ request: ItemRequest) -> ItemReply {
        if request.mayFindMany {
            return answer {
                try connections.converse(mayRepeat: true) { connection throws(TransportFailure) in
                    let answer = try FindInParts(request).answer { message throws(TransportFailure) in
                        try connection.call(message)
                    }
                    // The daemon may be waiting for the question for the next part.
                    if case .failure = answer { connection.shutdown() }
                    return answer
                }.get()
            } orElse: {
                $0.itemReply
            }
        }
        // Anything but a search may have been done already when the connection broke.
        return answer(to: MessageCoding.encode(request), mayRepeat: request.operation == .find) {
            try MessageCoding.decodeItemReply(body: $0.body, secrets: $0.secrets)
        } orElse: {
            $0.itemReply
        }
    }

    package func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        if let refusal = question.lengthRefusal { throw refusal }
        // The user may have been prompted already when the connection broke.
        let answer: Result<Question.Answer, EnclaveKeyRefusal> = answer(
            to: question.message, mayRepeat: Question.traits.contains(.repeatable)
        ) {
            try Question.answer(in: $0)
        } orElse: {
            .failure($0.keyRefusal)
        }
        return try answer.get()
    }

    package func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        let answer: Result<Question.Answer, FileKeyRefusal> = answer(
            to: question.message, mayRepeat: Question.traits.contains(.repeatable)
        ) {
            try Question.answer(in: $0)
        } orElse: {
            .failure($0.fileKeyRefusal)
        }
        return try answer.get()
    }

    @discardableResult
    package func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        let answer: Result<Question.Answer, DeviceRefusal> = answer(
            to: MessageCoding.encode(question), mayRepeat: Question.traits.contains(.repeatable)
        ) {
            try Question.answer(in: $0)
        } orElse: {
            .failure($0.deviceRefusal)
        }
        return try answer.get()
    }

    private func answer<Reply>(
        to question: WireMessage, mayRepeat: Bool, read: (WireMessage) throws -> Reply,
        orElse: (RemoteFailure) -> Reply
    ) -> Reply {
        answer {
            try read(connections.call(question, mayRepeat: mayRepeat))
        } orElse: {
            orElse($0)
        }
    }

    private func answer<Reply>(_ body: () throws -> Reply, orElse: (RemoteFailure) -> Reply) -> Reply {
        do {
            return try body()
        } catch {
            return orElse(RemoteFailure(error, socketPath: socketPath))
        }
    }
}
