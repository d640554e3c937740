import Dispatch
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Security
import Synchronization

/// What a context and its keychain say to each other: evaluations and items one after the other, and to each evaluation
/// exactly one answer, whatever the keychain does.
final class Conversation: AuthenticationSession {
    typealias Answer = @Sendable (AuthenticationReply) -> Void

    private struct Evaluation {
        let answer: Answer
        /// What was current for the caller, and is current for the answer.
        let scope: (any Keychain)?
    }

    private struct State {
        var keychain: (any Keychain)?
        var session: (any AuthenticationSession)?
        var isOver = false
        var evaluations: [UInt64: Evaluation] = [:]
        var lastNumber: UInt64 = 0
        /// Calls of the session that are under way or wait for their turn.
        var callCount = 0
    }

    /// Answers are given here, so that one that blocks holds up no other.
    private static let answers = DispatchQueue(label: "LocalAuthentication.answers", attributes: .concurrent)

    private let state = Mutex(State())
    private let turns = DispatchQueue(label: "LocalAuthentication.turns")
    /// The keychain of the surrounding code, if it has one of its own; else that of the first use is taken.
    private let home = CurrentKeychain.scoped
    private let current: @Sendable () throws(DeviceFailure) -> any Keychain

    /// - Parameter current: what is current at the first use.
    init(current: @escaping @Sendable () throws(DeviceFailure) -> any Keychain = CurrentKeychain.keychain) {
        self.current = current
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Puts an evaluation, when its turn comes. Returns at once.
    func ask(_ request: AuthenticationRequest, then answer: @escaping Answer) {
        let evaluation = Evaluation(answer: answer, scope: CurrentKeychain.scoped ?? home)
        do throws(DeviceFailure) {
            guard let (number, session) = try begin(evaluation) else {
                return Self.give(EndedSession().perform(request), to: evaluation)
            }
            // Here, where the caller is known.
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

    /// Gives a credential, for whatever is not asked yet. False if it is refused.
    func give(_ request: AuthenticationRequest) -> Bool {
        do throws(DeviceFailure) {
            guard let (session, isFree) = try beginCall() else { return false }
            guard isFree else {
                // It must not wait for a person either; what is asked from now on comes after it.
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

    /// Blocks, but not for a person who is being asked already: what needs nobody then goes over another session.
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

    /// Runs `body` where answers are given.
    func answerElsewhere(_ body: @escaping @Sendable () -> Void) {
        Self.give(
            .done(domainState: nil), to: Evaluation(answer: { _ in body() }, scope: CurrentKeychain.scoped ?? home))
    }

    // MARK: Turns

    /// Nil if the conversation is over.
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

    /// Nil if the conversation is over. `isFree`: the turn comes at once.
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
        rule: "app-cancelled", reason: "The program ended its authentication context while a person was asked.",
        advice: "Nothing to do, if that was meant.")

    /// Neither the passcode nor biometry is named: no program shall take the device for one that has none.
    private static func unreachable(_ failure: DeviceFailure) -> AuthenticationReply {
        complain(failure)
        return .failed(
            .systemCancel,
            Refusal(
                rule: failure.code.rawValue, reason: failure.description,
                advice: "`latchkey status` shows how the device can be reached."))
    }

    /// To people: a program seldom shows the words of an error.
    private static func complain(_ failure: DeviceFailure) {
        Complaints.ofThisProcess.say("LocalAuthentication: \(failure.description)")
    }
}

extension AuthenticationRequest {
    /// True for what belongs to the session that it is asked in.
    fileprivate var needsTurn: Bool {
        switch self {
        case .check, .biometry: false
        case .evaluate, .evaluateAccessControl, .setApplicationPassword, .setPasscode: true
        }
    }
}
