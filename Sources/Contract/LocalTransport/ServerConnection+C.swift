import Glibc
package import LatchkeyPeerIdentity

@_implementationOnly import CLatchkeyShims

/// The server's end of a connection whose peer is known. For the one thread that serves it.
package final class ServerConnection {
    package let peer: PeerIdentity
    /// The peer's executable, open until somebody takes it: connections are many, and descriptors are not.
    private var program: OpenExecutable?
    /// What the client claims to be. Nobody has checked it.
    package let hello: [UInt8]
    private let channel: FrameChannel
    private let nonce: Nonce
    private var isOpen = true
    /// An answer was sent in a memory file, and may still lie there.
    private var hasLargeAnswerUnderWay = false
    private var allowance = MessageAllowance(at: ServerConnection.uptime)

    /// Greets a peer whose snapshot was taken: sends the nonce, waits for the hello, confirms the snapshot.
    init(
        over descriptor: Descriptor, snapshot: PeerSnapshot, inspector: PeerInspector
    ) throws(TransportFailure) {
        let channel = FrameChannel(descriptor)
        let nonce = Nonce.random()
        let peer = snapshot.identity
        do throws(TransportFailure) {
            try channel.send(.greeting, WireMessage(body: []), nonce: nonce)
            _ = lk_socket_receive_limit(descriptor.number, TransportLimits.handshakeSeconds)
            guard let arrival = try channel.receive(takesAnswers: false) else { throw .closed }
            let hello = try Self.checked(arrival, kind: .hello, sender: peer.processID, nonce: nonce)
            guard hello.body.count <= TransportLimits.helloByteCount, hello.secrets.isEmpty else {
                throw .tooLarge(byteCount: hello.body.count, limit: TransportLimits.helloByteCount)
            }
            try inspector.confirm(snapshot)
            _ = lk_socket_receive_limit(descriptor.number, 0)
            try channel.send(.welcome, WireMessage(body: []), nonce: nonce)
            self.peer = peer
            self.program = snapshot.program
            self.hello = hello.body
            self.nonce = nonce
            self.channel = channel
        } catch {
            channel.refuse(error, nonce: nonce)
            throw error
        }
    }

    /// The peer's executable, to be looked at once; nil afterwards, and where the server does not look at programs.
    package func takeProgram() -> OpenExecutable? {
        defer { program = nil }
        return program
    }

    /// For calls that wait or take long: the client may go away meanwhile.
    package var hangUpWatch: HangUpWatch { HangUpWatch(channel.descriptor) }

    /// The next message; nil when the client has closed the connection. After a failure the connection is over, and
    /// the client has been told why.
    ///
    /// A client that sends on without receiving its answers waits for itself: no message is taken as long as a large
    /// answer has not been received, so that one connection never holds the memory of two.
    package func receive() throws(TransportFailure) -> WireMessage? {
        guard isOpen else { throw .closed }
        do throws(TransportFailure) {
            guard waitUntilAnswerIsRead(), let arrival = try channel.receive(takesAnswers: false) else { return nil }
            let wait = allowance.wait(at: Self.uptime)
            if wait > 0 { usleep(UInt32(wait * 1_000_000)) }
            return try Self.checked(arrival, kind: .message, sender: peer.processID, nonce: nonce)
        } catch {
            end(error)
            throw error
        }
    }

    /// Answers the message received last. `.tooLarge` leaves the connection open: a smaller answer can follow.
    package func send(_ message: WireMessage) throws(TransportFailure) {
        guard isOpen else { throw .closed }
        do throws(TransportFailure) {
            try channel.send(.answer, message, nonce: nonce)
            hasLargeAnswerUnderWay = FrameHeader(kind: .answer, message: message, nonce: nonce).isContentInMemoryFile
        } catch {
            if case .tooLarge = error { throw error }
            end(error)
            throw error
        }
    }

    /// Ends the connection for a reason that the client is told.
    package func refuse(_ failure: TransportFailure) {
        end(failure)
    }

    private func end(_ failure: TransportFailure) {
        isOpen = false
        channel.refuse(failure, nonce: nonce)
        channel.descriptor.shutdown()
    }

    /// - Returns: false if the client went away.
    private func waitUntilAnswerIsRead() -> Bool {
        var pause: UInt32 = 100
        while hasLargeAnswerUnderWay {
            if channel.descriptor.isRead {
                hasLargeAnswerUnderWay = false
            } else {
                if channel.descriptor.hasHungUp { return false }
                // The kernel has no event for that; a client that waits for its answer takes it at once.
                usleep(pause)
                pause = min(2 * pause, 50_000)
            }
        }
        return true
    }

    private static var uptime: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private static func checked(
        _ arrival: FrameChannel.Arrival, kind: FrameKind, sender: Int32, nonce: Nonce
    ) throws(TransportFailure) -> WireMessage {
        guard arrival.senderID == sender else { throw .wrongSender(expected: sender, found: arrival.senderID) }
        guard arrival.header.kind == kind else { throw .malformed(.unexpectedKind(arrival.header.kind.rawValue)) }
        guard arrival.header.nonce == nonce else { throw .wrongNonce }
        return arrival.message
    }
}

extension FrameChannel {
    /// Tells the other side why the connection ends, if it listens.
    func refuse(_ failure: TransportFailure, nonce: Nonce) {
        guard let refusal = failure.refusal else { return }
        try? send(.refusal, WireMessage(body: Array(refusal.rawValue.utf8)), nonce: nonce, withoutWaiting: true)
    }
}

extension Nonce {
    static func random() -> Nonce {
        var words: (UInt64, UInt64) = (0, 0)
        let outcome = unsafe withUnsafeMutableBytes(of: &words) { unsafe lk_random($0.baseAddress, $0.count) }
        precondition(outcome == 0, "the kernel gives no random bytes")
        return Nonce(words.0, words.1)
    }
}
