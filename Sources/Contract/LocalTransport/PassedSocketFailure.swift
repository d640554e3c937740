import Glibc

/// A reason for which the descriptor that was passed to a daemon cannot be served.
package enum PassedSocketFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// `LISTEN_FDS` is not a valid number of descriptors.
    case badCount(String)
    case tooMany(Int)
    case wrongName(expected: String, found: String)
    case unusable(Fault)

    /// The fault of the descriptor.
    package enum Fault: Sendable, Equatable {
        case notOpen
        case notASocket
        case notLocal
        case notSequentialPacket
        case notListening
        case system(errno: Int32)

        init(errno: Int32) {
            self =
                switch errno {
                case EBADF: .notOpen
                case ENOTSOCK: .notASocket
                case EAFNOSUPPORT: .notLocal
                case EPROTOTYPE: .notSequentialPacket
                case EINVAL: .notListening
                default: .system(errno: errno)
                }
        }
    }

    package var description: String {
        switch self {
        case .badCount(let text):
            "LISTEN_FDS is \"\(text)\", which is not a number of descriptors. Start the daemon from its socket unit."
        case .tooMany(let count):
            "\(count) sockets were passed and one is served. Give the socket unit one ListenSequentialPacket= only."
        case .wrongName(let expected, let found):
            "the socket that was passed is called \"\(found)\", and \"\(expected)\" is served here. "
                + "Set FileDescriptorName=\(expected) in the socket unit, or correct its Service=."
        case .unusable(let fault):
            "descriptor \(PassedSocket.firstDescriptor), which was passed as the socket to serve, \(Self.text(fault))"
        }
    }

    private static func text(_ fault: Fault) -> String {
        switch fault {
        case .notOpen: "is not open. LISTEN_FDS promises it: start the daemon from its socket unit."
        case .notASocket: "is not a socket. Pass a listening Unix socket of type SOCK_SEQPACKET."
        case .notLocal: "is not a Unix socket. Write ListenSequentialPacket=/run/… into the socket unit."
        case .notSequentialPacket:
            "is of another type than SOCK_SEQPACKET. Write ListenSequentialPacket= instead of ListenStream= or "
                + "ListenDatagram= into the socket unit."
        case .notListening: "does not listen. Write Accept=no into the socket unit."
        case .system(let errno): unsafe "cannot be used: \(String(cString: strerror(errno)))."
        }
    }
}
