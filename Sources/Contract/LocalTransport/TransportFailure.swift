package import LatchkeyPeerIdentity

/// A reason for rejecting bytes as a frame of this protocol.
package enum FrameFault: Sendable, Equatable {
    case truncated
    case badMagic
    case unknownVersion(UInt8)
    case unknownKind(UInt8)
    case unknownFlags(UInt16)
    case unexpectedKind(UInt8)
    case lengthsDisagree(expected: Int, found: Int)
    case unexpectedDescriptors(Int)
    case descriptorMissing
    /// The memory file can still be changed by its sender.
    case memoryNotSealed
    case memorySizeDiffers
    /// The body is not a message of this contract.
    case unreadableBody
}

/// A reason that the other side sent for ending the connection. Raw values travel on the socket.
package enum TransportRefusal: String, Sendable, CaseIterable {
    case tooManyConnections = "too-many-connections"
    case malformed = "malformed-frame"
    case tooLarge = "message-too-large"
    case wrongNonce = "wrong-nonce"
    case wrongSender = "wrong-sender"
    case peerUnidentified = "peer-unidentified"
    case peerNotAllowed = "peer-not-allowed"
    case tooLate = "handshake-too-late"
}

/// A reason for which a message did not come through. After any of these but `tooLarge` on sending, the connection is
/// over.
package enum TransportFailure: Error, Sendable, Equatable {
    /// The connection was over before the message was sent: no process has seen any of it.
    case closed
    /// The connection ended between message and reply: it is unknown whether the server acted on it.
    case lostAwaitingReply
    case unreachable(path: String, errno: Int32)
    /// A process of another user listens there.
    case wrongServer(userID: UInt32)
    case refused(TransportRefusal)
    case malformed(FrameFault)
    case wrongNonce
    case wrongSender(expected: Int32, found: Int32)
    case peerUnidentified(IdentityFailure)
    case peerNotAllowed(reason: String)
    case tooLarge(byteCount: Int, limit: Int)
    case timedOut
    case system(call: String, errno: Int32)

    /// The reason to send before the connection is closed; nil if the other side is gone.
    package var refusal: TransportRefusal? {
        switch self {
        case .closed, .lostAwaitingReply, .unreachable, .wrongServer, .refused, .system: nil
        case .malformed: .malformed
        case .wrongNonce: .wrongNonce
        case .wrongSender: .wrongSender
        case .peerUnidentified: .peerUnidentified
        case .peerNotAllowed: .peerNotAllowed
        case .tooLarge: .tooLarge
        case .timedOut: .tooLate
        }
    }
}
