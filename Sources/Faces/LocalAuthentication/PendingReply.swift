import Dispatch
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeyThreading

/// An evaluation that waits for its reply.
protocol PendingEvaluation: Sendable {
    /// Replies with a failure.
    func fail(_ refusal: AuthenticationRefusal)
}

/// The reply to an evaluation: given once, and forgotten then, together with the context that it keeps alive.
final class PendingReply<Answer: Sendable>: PendingEvaluation {
    typealias Reply = @Sendable (Result<Answer, AuthenticationRefusal>) -> Void

    private let reply: ForkMutex<Reply?>
    private let place: ReplyPlace

    init(in place: ReplyPlace, _ reply: @escaping Reply) {
        self.reply = ForkMutex(reply)
        self.place = place
    }

    func give(_ result: Result<Answer, AuthenticationRefusal>) {
        guard let reply = reply.withLock({ $0.take() }) else { return }
        place.run { reply(result) }
    }

    func fail(_ refusal: AuthenticationRefusal) {
        give(.failure(refusal))
    }
}

/// The queue for replies, with a keychain that is current there.
struct ReplyPlace: Sendable {
    /// Concurrent, so that a blocking handler holds up no other.
    private static let queue = DispatchQueue(label: "LocalAuthentication.answers", attributes: .concurrent)

    /// The current keychain of the caller, which is also current for the reply.
    let scope: (any Keychain)?

    func run(_ body: @escaping @Sendable () -> Void) {
        Self.queue.async {
            CurrentKeychain.$scoped.withValue(scope) { body() }
        }
    }
}
