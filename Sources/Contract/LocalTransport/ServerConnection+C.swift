import Glibc
import LatchkeyEncoding
package import LatchkeyPeerIdentity
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// The server's end of a connection whose peer is known. For the one thread that serves it.
package final class ServerConnection {
    package let peer: PeerIdentity
    /// The peer's executable, open until it is taken: connections are many, and descriptors are not.
    private var program: OpenExecutable?
    /// The client's claim about itself, unchecked.
    package let hello: [UInt8]
    private let channel: FrameChannel
    private let nonce: Nonce
    private var isOpen = true
    /// A reply was sent in a memory file, and may not be received yet.
    private var hasLargeAnswerUnderWay = false
    private var limiter = MessageRateLimiter(at: ServerConnection.uptime)

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

    /// Returns the peer's executable, to be inspected once; nil afterwards, and if the server does not inspect
    /// programs.
    package func takeProgram() -> OpenExecutable? {
        defer { program = nil }
        return program
    }

    /// For calls that wait or take long: the client may disconnect meanwhile.
    package var hangUpWatch: HangUpWatch { HangUpWatch(channel.descriptor) }

    /// Returns the next message; nil when the client has closed the connection. After a failure the connection is over,
    /// and the client has received the reason.
    ///
    /// A client that sends without receiving its replies only slows itself down: no message is read until a large reply
    /// has been received, so that one connection never holds the memory of two.
    package func receive() throws(TransportFailure) -> WireMessage? {
        guard isOpen else { throw .closed }
        do throws(TransportFailure) {
            guard waitUntilAnswerIsRead(until: nil), let arrival = try channel.receive(takesAnswers: false) else {
                return nil
            }
            let wait = limiter.wait(at: Self.uptime)
            if wait > 0 { usleep(UInt32(wait * 1_000_000)) }
            return try Self.checked(arrival, kind: .message, sender: peer.processID, nonce: nonce)
        } catch {
            end(error)
            throw error
        }
    }

    /// Returns the next message; nil when the client has closed the connection. Throws `.timedOut` if the client has
    /// not received the last reply, or has sent nothing, in time; the connection stays open.
    package func receive(within seconds: Double) throws(TransportFailure) -> WireMessage? {
        guard isOpen else { throw .closed }
        let end = Uptime(seconds: Self.uptime.seconds + seconds)
        guard waitUntilAnswerIsRead(until: end) else {
            if channel.descriptor.hasHungUp { return nil }
            throw .timedOut
        }
        let rest = end.seconds - Self.uptime.seconds
        guard channel.descriptor.wait(for: POLLIN, seconds: rest) else { throw .timedOut }
        return try receive()
    }

    /// Replies to the last message. If replies that the client does not receive leave no room in time, the connection
    /// ends.
    package func send(_ message: WireMessage, within seconds: Double) throws(TransportFailure) {
        guard isOpen else { throw .closed }
        guard channel.descriptor.wait(for: POLLOUT, seconds: seconds) else {
            end(.timedOut)
            throw .timedOut
        }
        try send(message)
    }

    /// Replies to the last message. `.tooLarge` leaves the connection open: a smaller reply can follow.
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

    /// Ends the connection and sends the reason to the client.
    package func refuse(_ failure: TransportFailure) {
        end(failure)
    }

    private func end(_ failure: TransportFailure) {
        isOpen = false
        channel.refuse(failure, nonce: nonce)
        channel.descriptor.shutdown()
    }

    /// - Returns: false if the client disconnected, or if it does not read until `end`.
    private func waitUntilAnswerIsRead(until end: Uptime?) -> Bool {
        var pause: UInt32 = 100
        while hasLargeAnswerUnderWay {
            if channel.descriptor.isRead {
                hasLargeAnswerUnderWay = false
            } else {
                if channel.descriptor.hasHungUp { return false }
                if let end, Self.uptime.seconds > end.seconds { return false }
                // The kernel has no event for that; a client that waits for its reply receives it at once.
                usleep(pause)
                pause = min(2 * pause, 50_000)
            }
        }
        return true
    }

    private static var uptime: Uptime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Uptime(seconds: Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000)
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
    /// Sends the reason for the end to the other side, if it receives.
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
