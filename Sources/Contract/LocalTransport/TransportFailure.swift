package import LatchkeyPeerIdentity

/// Why bytes are no frame of this protocol.
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
}

/// Why the other side ended the connection, as it said itself. Raw values travel on the socket.
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

/// Why a message did not come through. After any of these but `tooLarge` on sending, the connection is over.
package enum TransportFailure: Error, Sendable, Equatable {
    /// The connection was over before the message was sent: nobody has seen any of it.
    case closed
    /// The connection ended between message and answer: nobody knows whether it was acted on.
    case lostAwaitingReply
    case unreachable(path: String, errno: Int32)
    /// Somebody of another user listens there.
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

    /// What the other side is told before the connection is closed; nil if there is nobody to tell.
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
