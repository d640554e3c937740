import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport

/// A call that never got an answer from the daemon, in the words of each kind of reply.
struct RemoteFailure {
    private let code: ResultCode
    private let authenticationError: AuthenticationError
    private let refusal: Refusal

    init(_ code: ResultCode, _ authenticationError: AuthenticationError, _ refusal: Refusal) {
        self.code = code
        self.authenticationError = authenticationError
        self.refusal = refusal
    }

    /// An error between a request and its reply: of the transport, or of decoding the reply.
    init(_ error: any Error, socketPath: String) {
        if let failure = error as? TransportFailure {
            self.init(failure, socketPath: socketPath)
        } else {
            self.init(undecodable: "\(error)", socketPath: socketPath)
        }
    }

    private init(_ failure: TransportFailure, socketPath: String) {
        authenticationError = .systemCancel
        switch failure {
        case .tooLarge(let byteCount, let limit):
            code = .dataTooLarge
            refusal = Refusal(
                rule: .messageTooLarge,
                reason:
                    "The call has a part of \(byteCount) bytes or entries, and \(limit) may go to the daemon at once.",
                advice: "Store less in one item, or ask for fewer items at once.")
        case .lostAwaitingReply:
            code = .notAvailable
            refusal = Refusal(
                rule: .daemonConnectionLost,
                reason:
                    "The connection to the daemon broke before its answer came, so the call may have been carried out or not.",
                advice: "Look whether the item is as wanted, then repeat the call.")
        case .refused(let reason):
            code = .notAvailable
            refusal = Refusal(
                rule: .daemonRefusedConnection,
                reason: "The daemon at \(socketPath) refused this program: \(reason.rawValue).",
                advice: Self.advice(for: reason))
        case .wrongServer:
            code = .notAvailable
            refusal = Refusal(
                rule: .daemonOfAnotherUser,
                reason: "At \(socketPath), \(failure).",
                advice: "Set LATCHKEY_DEVICE to the socket of your own daemon.")
        default:
            code = .notAvailable
            refusal = Refusal(
                rule: .daemonUnreachable,
                reason: "The daemon cannot be reached at \(socketPath): \(failure).",
                advice: "Start it with `latchkeyd --device DIRECTORY`, or set LATCHKEY_DEVICE to where it listens.")
        }
    }

    private init(undecodable reason: String, socketPath: String) {
        authenticationError = .systemCancel
        code = .decode
        refusal = Refusal(
            rule: .daemonAnswerMalformed,
            reason: "The answer of the daemon at \(socketPath) cannot be read: \(reason).",
            advice: "Use a daemon and a library of the same version.")
    }

    var itemReply: ItemReply { ItemReply(code: code, refusal: refusal) }

    var keyRefusal: EnclaveKeyRefusal { EnclaveKeyRefusal(code, refusal) }

    var fileKeyRefusal: FileKeyRefusal { FileKeyRefusal(code, refusal) }

    var authenticationRefusal: AuthenticationRefusal { AuthenticationRefusal(authenticationError, refusal) }

    var deviceRefusal: DeviceRefusal { .unreachable(refusal) }

    private static func advice(for reason: TransportRefusal) -> String {
        switch reason {
        case .tooManyConnections: "End programs that keep connections open, then try again."
        case .peerUnidentified: "Run the daemon as root, or let the program be inspected (PR_SET_DUMPABLE)."
        case .peerNotAllowed: "Run the program as the user whose device this is."
        case .wrongSender, .wrongNonce: "Let every process open its own connection after a fork."
        case .malformed, .tooLarge, .tooLate: "Use a daemon and a library of the same version."
        }
    }
}
