import Dispatch
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Security
import Synchronization

/// The exchange between a context and its keychain: evaluations and items one after the other, and exactly one reply to
/// each evaluation, whatever the keychain does.
final class Conversation: AuthenticationSession {
    typealias Answer = @Sendable (AuthenticationReply) -> Void

    private struct Evaluation {
        let answer: Answer
        /// The caller's current keychain, which is also current for the reply.
        let scope: (any Keychain)?
    }

    private struct State {
        var keychain: (any Keychain)?
        var session: (any AuthenticationSession)?
        var isOver = false
        var evaluations: [UInt64: Evaluation] = [:]
        var lastNumber: UInt64 = 0
        /// Calls of the session that are in progress or wait for their turn.
        var callCount = 0
    }

    /// Replies are delivered here, so that a blocking handler holds up no other.
    private static let answers = DispatchQueue(label: "LocalAuthentication.answers", attributes: .concurrent)

    private let state = Mutex(State())
    private let turns = DispatchQueue(label: "LocalAuthentication.turns")
    /// The keychain of the surrounding code, if it has one of its own; else that of the first use.
    private let home = CurrentKeychain.scoped
    private let current: @Sendable () throws(DeviceFailure) -> any Keychain

    /// - Parameter current: returns the current keychain at the first use.
    init(current: @escaping @Sendable () throws(DeviceFailure) -> any Keychain = CurrentKeychain.keychain) {
        self.current = current
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Queues an evaluation. Returns at once.
    func ask(_ request: AuthenticationRequest, then answer: @escaping Answer) {
        let evaluation = Evaluation(answer: answer, scope: CurrentKeychain.scoped ?? home)
        do throws(DeviceFailure) {
            guard let (number, session) = try begin(evaluation) else {
                return Self.give(EndedSession().perform(request), to: evaluation)
            }
            // The caller is only known here.
            let perform = session.prepared(request)
            turns.async { [self] in
                defer { endCall() }
                guard isWaited(for: number) else { return }
                let reply = perform()
                let evaluation = state.withLock { $0.evaluations.removeValue(forKey: number) }
                if let evaluation { Self.give(reply, to: evaluation) }
            }
        } catch {
            Self.give(Self.unreachable(error), to: evaluation)
        }
    }

    /// Passes on a credential for later prompts. Returns false if it is refused.
    func give(_ request: AuthenticationRequest) -> Bool {
        do throws(DeviceFailure) {
            guard let (session, isFree) = try beginCall() else { return false }
            guard isFree else {
                // The credential must not wait for a person either; later prompts come after it.
                turns.async { [self] in
                    _ = session.perform(request)
                    endCall()
                }
                return true
            }
            if case .done = inTurn({ session.perform(request) }) { return true }
            return false
        } catch {
            Self.complain(error)
            return false
        }
    }

    /// Blocks, but not while a person is being asked: requests without a prompt then use another session.
    func perform(_ request: AuthenticationRequest) -> AuthenticationReply {
        do throws(DeviceFailure) {
            guard let (session, isFree) = try beginCall() else { return EndedSession().perform(request) }
            guard !isFree, !request.needsTurn, let keychain = state.withLock({ $0.keychain }) else {
                return inTurn { session.perform(request) }
            }
            endCall()
            let other = keychain.openSession()
            defer { other.end() }
            return other.perform(request)
        } catch {
            return Self.unreachable(error)
        }
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        do throws(DeviceFailure) {
            guard let (session, _) = try beginCall() else { return EndedSession().perform(request) }
            return inTurn { session.perform(request) }
        } catch {
            Self.complain(error)
            return ItemReply(code: .notAvailable)
        }
    }

    func perform(_ request: KeyRequest) -> KeyReply {
        do throws(DeviceFailure) {
            guard let (session, _) = try beginCall() else { return EndedSession().perform(request) }
            return inTurn { session.perform(request) }
        } catch {
            Self.complain(error)
            return .failed(.notAvailable, nil)
        }
    }

    func end() {
        let (session, evaluations) = state.withLock { state in
            defer {
                state.isOver = true
                state.session = nil
                state.keychain = nil
                state.evaluations = [:]
            }
            return (state.session, Array(state.evaluations.values))
        }
        session?.end()
        for evaluation in evaluations { Self.give(.failed(.appCancel, Self.appCancelled), to: evaluation) }
    }

    /// Runs `body` on the queue for replies.
    func answerElsewhere(_ body: @escaping @Sendable () -> Void) {
        Self.give(
            .done(domainState: nil), to: Evaluation(answer: { _ in body() }, scope: CurrentKeychain.scoped ?? home))
    }

    // MARK: Turns

    /// Returns nil if the conversation is over.
    private func begin(
        _ evaluation: Evaluation
    ) throws(DeviceFailure) -> (number: UInt64, session: any AuthenticationSession)? {
        try state.withLock { state throws(DeviceFailure) in
            guard let session = try session(&state) else { return nil }
            state.lastNumber += 1
            state.evaluations[state.lastNumber] = evaluation
            state.callCount += 1
            return (state.lastNumber, session)
        }
    }

    /// Returns nil if the conversation is over. `isFree`: no other call is ahead.
    private func beginCall() throws(DeviceFailure) -> (session: any AuthenticationSession, isFree: Bool)? {
        try state.withLock { state throws(DeviceFailure) in
            guard let session = try session(&state) else { return nil }
            state.callCount += 1
            return (session, state.callCount == 1)
        }
    }

    private func inTurn<R>(_ call: () -> R) -> R {
        defer { endCall() }
        return turns.sync(execute: call)
    }

    private func endCall() {
        state.withLock { $0.callCount -= 1 }
    }

    private func isWaited(for number: UInt64) -> Bool {
        state.withLock { $0.evaluations[number] != nil }
    }

    private func session(_ state: inout State) throws(DeviceFailure) -> (any AuthenticationSession)? {
        guard !state.isOver else { return nil }
        if let session = state.session { return session }
        let keychain = if let home { home } else { try current() }
        let session = keychain.openSession()
        state.keychain = keychain
        state.session = session
        return session
    }

    // MARK: Answers

    private static func give(_ reply: AuthenticationReply, to evaluation: Evaluation) {
        answers.async {
            CurrentKeychain.$scoped.withValue(evaluation.scope) { evaluation.answer(reply) }
        }
    }

    private static let appCancelled = Refusal(
        rule: .appCancelled, reason: "The program ended its authentication context while a prompt was shown.",
        advice: "Nothing to do, if that was meant.")

    /// Names neither the passcode nor biometry: a program must not take the device for one without them.
    private static func unreachable(_ failure: DeviceFailure) -> AuthenticationReply {
        complain(failure)
        return .failed(
            .systemCancel,
            Refusal(
                ruleName: failure.code.rawValue, reason: failure.description,
                advice: "`latchkey status` shows how the device can be reached."))
    }

    /// Writes to standard error, because programs seldom show the text of an error.
    private static func complain(_ failure: DeviceFailure) {
        Complaints.ofThisProcess.say("LocalAuthentication: \(failure.description)")
    }
}

extension AuthenticationRequest {
    /// True for requests that depend on the session's state.
    fileprivate var needsTurn: Bool {
        switch self {
        case .check, .biometry: false
        case .evaluate, .evaluateAccessControl, .setApplicationPassword, .setPasscode: true
        }
    }
}
