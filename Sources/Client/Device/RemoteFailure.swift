import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyLocalTransport

/// A call that never got an answer from the daemon, or from a device of this process that could not be opened, in the words of
/// each kind of reply.
struct RemoteFailure {
    private let code: ResultCode
    private let authenticationError: AuthenticationError
    let refusal: Refusal

    init(_ code: ResultCode, _ authenticationError: AuthenticationError, _ refusal: Refusal) {
        self.code = code
        self.authenticationError = authenticationError
        self.refusal = refusal
    }

    /// A child of `fork` could not open the device.
    init(_ failure: DeviceFailure) {
        self.init(
            .notAvailable, .systemCancel,
            Refusal(
                ruleName: failure.code.rawValue, reason: failure.description,
                advice: "`latchkey status` shows how the device can be reached."))
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
            refusal = Refusal(.messageTooLarge, byteCount, limit)
        case .lostAwaitingReply:
            code = .notAvailable
            refusal = Refusal(.daemonConnectionLost)
        case .refused(let reason):
            code = .notAvailable
            refusal = Refusal(.daemonRefusedConnection, socketPath, reason.rawValue, Self.advice(for: reason))
        case .wrongServer:
            code = .notAvailable
            refusal = Refusal(.daemonOfAnotherUser, socketPath, failure)
        default:
            code = .notAvailable
            refusal = Refusal(.daemonUnreachable, socketPath, failure)
        }
    }

    private init(undecodable reason: String, socketPath: String) {
        authenticationError = .systemCancel
        code = .decode
        refusal = Refusal(.daemonAnswerMalformed, socketPath, reason)
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
