import Glibc
import LatchkeyPeerIdentity
package import LatchkeySecretMemory
import LatchkeyThreading

@_implementationOnly import CLatchkeyShims

/// The client's end of a connection: one call at a time, from any thread.
package final class ClientConnection: Sendable {
    private let descriptor: Descriptor
    private let nonce: Nonce
    /// The process that connected.
    private let owner = ProcessMark.current
    /// The process from which answers must come; nil if the server's program does not matter.
    private let serverID: Int32?
    private let state: ForkMutex<State>

    private struct State: ~Copyable, Sendable {
        let channel: FrameChannel
        var isOpen = true
        /// The server has not yet accepted this client.
        var awaitsWelcome: Bool
    }

    /// Connects and introduces itself. `hello` is the client's claim about itself; servers that accept no claims ignore
    /// it. The socket's owner must be this user or root.
    ///
    /// - Parameter waitsForWelcome: false to leave the server's welcome to the first call, which then throws the error
    ///   of this initializer. It saves a round trip.
    /// - Parameter server: the program that must serve there; the welcome is then waited for.
    /// - Parameter seconds: how long an answer may take, and the introduction ``TransportLimits/handshakeSeconds``; nil if both may take
    ///   any time.
    package convenience init(
        connectingTo path: String, hello: [UInt8] = [], waitsForWelcome: Bool = true, server: ServerProgram? = nil,
        waiting seconds: Int? = nil
    ) throws(TransportFailure) {
        let number = unsafe lk_socket_connect(path)
        guard number >= 0 else { throw .unreachable(path: path, errno: -number) }
        let descriptor = Descriptor(owning: number)
        if seconds != nil {
            _ = lk_socket_receive_limit(descriptor.number, Int32(TransportLimits.handshakeSeconds))
        }
        try self.init(over: descriptor, hello: hello, waitsForWelcome: waitsForWelcome, from: server)
        if let seconds { _ = lk_socket_receive_limit(descriptor.number, Int32(clamping: seconds)) }
    }

    /// Introduces itself over a socket that is already connected.
    init(
        over descriptor: Descriptor, hello: [UInt8], waitsForWelcome: Bool = true, from program: ServerProgram? = nil
    ) throws(TransportFailure) {
        var server = lk_socket_identity()
        let outcome = unsafe lk_socket_identify_peer(descriptor.number, &server, LK_PIDFD_NONE)
        guard outcome == 0 else { throw .system(call: "getsockopt(SO_PEERCRED)", errno: -outcome) }
        guard server.uid == geteuid() || server.uid == 0 else { throw .wrongServer(userID: server.uid) }
        let snapshot = try Self.snapshot(of: program, at: descriptor)
        let channel = FrameChannel(descriptor)
        let nonce = try Self.introduction(on: channel, hello: hello)
        let serverID = snapshot?.identity.processID
        if waitsForWelcome || program != nil { try Self.takeWelcome(on: channel, nonce: nonce, from: serverID) }
        if let program, let snapshot { try program.confirm(snapshot) }
        self.descriptor = descriptor
        self.serverID = serverID
        self.nonce = nonce
        self.state = ForkMutex(State(channel: channel, awaitsWelcome: !waitsForWelcome && program == nil))
    }

    /// Takes a snapshot of the server, before it has sent anything that counts.
    private static func snapshot(
        of program: ServerProgram?, at descriptor: Descriptor
    ) throws(TransportFailure) -> PeerSnapshot? {
        guard let program else { return nil }
        let outcome = lk_socket_show_senders(descriptor.number)
        guard outcome == 0 else { throw .system(call: "setsockopt(SO_PASSCRED)", errno: -outcome) }
        return try program.snapshot(ofServerAt: descriptor)
    }

    /// Takes the server's greeting and says hello; returns the nonce.
    private static func introduction(
        on channel: borrowing FrameChannel, hello: [UInt8]
    ) throws(TransportFailure) -> Nonce {
        let greeting = try answer(on: channel, expected: .greeting, nonce: nil, lost: .closed)
        let nonce = greeting.header.nonce
        do throws(TransportFailure) {
            try channel.send(.hello, WireMessage(body: hello), nonce: nonce)
        } catch .closed {
            // The server may have sent a reason.
        }
        return nonce
    }

    /// Takes the welcome. Before it the server reads no message.
    private static func takeWelcome(
        on channel: borrowing FrameChannel, nonce: Nonce, from serverID: Int32? = nil
    ) throws(TransportFailure) {
        _ = try answer(on: channel, expected: .welcome, nonce: nonce, from: serverID, lost: .closed)
    }

    /// Sends a message and waits for its reply.
    ///
    /// Throws `.closed` if nothing was sent, so that the message may be sent again elsewhere, and `.lostAwaitingReply`
    /// if the server may have processed the message.
    package func call(_ message: WireMessage) throws(TransportFailure) -> WireMessage {
        // After a fork the child has the parent's socket but another identity; it needs a connection of its own.
        guard owner == .current else { throw .closed }
        return try state.withLock { state throws(TransportFailure) in
            guard state.isOpen else { throw .closed }
            // Checked before anything is sent: the connection stays usable.
            try FrameHeader(kind: .message, message: message, nonce: nonce).checkLimits()
            do throws(TransportFailure) {
                let answer = try exchange(message, on: state.channel, awaitsWelcome: state.awaitsWelcome)
                state.awaitsWelcome = false
                return answer
            } catch {
                state.isOpen = false
                descriptor.shutdown()
                throw error
            }
        }
    }

    /// For a caller that does something else between two calls: the server may disconnect meanwhile.
    package var hangUpWatch: HangUpWatch { HangUpWatch(descriptor) }

    /// False once a call has failed because of the connection.
    package var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Ends the connection; a call that is waiting fails. In a child of the process that connected it does nothing: the parent
    /// goes on with the connection.
    package func shutdown() {
        if owner == .current { descriptor.shutdown() }
    }

    private func exchange(
        _ message: WireMessage, on channel: borrowing FrameChannel, awaitsWelcome: Bool
    ) throws(TransportFailure) -> WireMessage {
        do throws(TransportFailure) {
            try channel.send(.message, message, nonce: nonce)
        } catch .closed {
            // Nothing was sent. If the server sent a reason before it disconnected, that is the better error.
            guard let last = try? channel.receive(), last.header.kind == .refusal else { throw .closed }
            throw Self.failure(of: last)
        }
        if awaitsWelcome { try Self.takeWelcome(on: channel, nonce: nonce) }
        return try Self.answer(on: channel, expected: .answer, nonce: nonce, from: serverID).message
    }

    private static func answer(
        on channel: borrowing FrameChannel, expected: FrameKind, nonce: Nonce?, from serverID: Int32? = nil,
        lost: TransportFailure = .lostAwaitingReply
    ) throws(TransportFailure) -> FrameChannel.Arrival {
        guard let arrival = try channel.receive() else { throw lost }
        if arrival.header.kind == .refusal { throw failure(of: arrival) }
        guard arrival.header.kind == expected else {
            throw .malformed(.unexpectedKind(arrival.header.kind.rawValue))
        }
        guard nonce == nil || arrival.header.nonce == nonce else { throw .wrongNonce }
        guard serverID == nil || arrival.senderID == serverID else {
            throw .wrongSender(expected: serverID ?? 0, found: arrival.senderID)
        }
        return arrival
    }

    private static func failure(of refusal: FrameChannel.Arrival) -> TransportFailure {
        .refused(TransportRefusal(rawValue: String(decoding: refusal.message.body, as: UTF8.self)) ?? .malformed)
    }
}
