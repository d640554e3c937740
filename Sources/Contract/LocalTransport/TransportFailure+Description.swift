import Glibc
import LatchkeyPeerIdentity

extension TransportFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .closed: "the connection was closed"
        case .lostAwaitingReply: "the connection was lost before the reply came"
        case .unreachable(let path, let errno): "no process serves \(path): \(Self.text(errno))"
        case .wrongServer(let userID): "the socket belongs to user \(userID), not to this user or root"
        case .refused(let refusal): "the other side refused: \(refusal.rawValue)"
        case .malformed(let fault): "the frame is malformed: \(fault)"
        case .wrongNonce: "the frame does not carry the number of this connection"
        case .wrongSender(let expected, let found):
            "the frame came from process \(found), but process \(expected) connected"
        case .peerUnidentified(let failure): failure.description
        case .peerNotAllowed(let reason): reason
        case .tooLarge(let byteCount, let limit): "the message has \(byteCount) bytes where \(limit) are allowed"
        case .timedOut: "the handshake was not finished in time"
        case .system(let call, let errno): "\(call): \(Self.text(errno))"
        }
    }

    private static func text(_ errno: Int32) -> String {
        unsafe String(cString: strerror(errno))
    }
}
