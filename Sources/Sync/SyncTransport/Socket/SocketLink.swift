package import LatchkeyLocalTransport
internal import LatchkeyPeerIdentity
internal import LatchkeySecretMemory
package import LatchkeyThreading

/// The connection of the daemon to the transport process behind its socket.
package struct SocketLink: TransportLink {
    private let connect: @Sendable (_ seconds: Int) throws(TransportFailure) -> ClientConnection
    private let connections: ConnectionPool
    private let report: @Sendable (String) -> Void

    /// - Parameters:
    ///   - path: of the transport's socket.
    ///   - server: the program that must serve there; nil where the socket was opened by the system for a user of its own.
    ///   - report: gets a line for each refusal: for a log.
    package init(path: String, server: ServerProgram?, report: @escaping @Sendable (String) -> Void = { _ in }) {
        self.report = report
        let connect: @Sendable (Int) throws(TransportFailure) -> ClientConnection = {
            seconds throws(TransportFailure) in
            // The transport wants to see which program this is, which a hardened process shows only on purpose.
            try OwnProcess.whileInspectable { () throws(TransportFailure) in
                try ClientConnection(connectingTo: path, server: server, waiting: seconds)
            }
        }
        self.connect = connect
        connections = ConnectionPool { () throws(TransportFailure) in try connect(Self.answerSeconds) }
    }

    /// A file system that does not answer keeps the transport waiting, and this process no longer than so.
    private static let answerSeconds = 60
    /// The transport answers within the time of its question.
    private static let hintSeconds = AwaitHint.secondsLimit + answerSeconds

    package func call(_ body: [UInt8], until end: Cancellation?) throws(TransportLinkFailure) -> [UInt8] {
        do throws(TransportFailure) {
            let message = WireMessage(body: body)
            guard let end else { return try connections.call(message, mayRepeat: true).body }
            guard !end.isCancelled else { throw TransportFailure.timedOut }
            // A connection of its own: it can be ended while the transport waits.
            let connection = try connect(Self.hintSeconds)
            // It goes with this call, and not with the cancellation.
            end.whenCancelled { [weak connection] in connection?.shutdown() }
            return try connection.call(message).body
        } catch {
            if let end, end.isCancelled { throw .cancelled }
            let failure = TransportLinkFailure(error)
            if failure == .refused { report("a question to the transport failed: \(error)") }
            throw failure
        }
    }
}

extension TransportLinkFailure {
    init(_ failure: TransportFailure) {
        switch failure {
        case .timedOut: self = .silent
        case .closed, .lostAwaitingReply, .unreachable, .system: self = .unreachable
        case .wrongServer, .refused, .malformed, .wrongNonce, .wrongSender, .peerUnidentified, .peerNotAllowed,
            .tooLarge:
            self = .refused
        }
    }
}
