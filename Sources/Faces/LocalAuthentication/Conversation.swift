import Dispatch
import LatchkeyDevice
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading
import Security

/// The exchange between a context and its keychain: evaluations and items one after the other, and exactly one reply to
/// each evaluation, whatever the keychain does.
final class Conversation: AuthenticationSession {
    private struct State {
        var keychain: (any Keychain)?
        var session: (any AuthenticationSession)?
        /// The process that opened the session.
        var process: ProcessMark?
        var isOver = false
        var evaluations: [UInt64: any PendingEvaluation] = [:]
        var lastNumber: UInt64 = 0
        /// Calls of the session that are in progress or wait for their turn.
        var callCount = 0

        /// In a child of that process the session refuses, and the parent's calls and evaluations do not count.
        mutating func adoptInChild() {
            guard let opener = process, opener != .current else { return }
            self = State(session: EndedSession.ofParent, process: .current, isOver: isOver)
        }
    }

    private let state = ForkMutex(State())
    private let turns = ProcessOwned { DispatchQueue(label: "LocalAuthentication.turns") }
    /// The keychain of the surrounding code, if it has one of its own; else that of the first use.
    private let home = CurrentKeychain.scoped
    private let current: @Sendable () throws(DeviceFailure) -> any Keychain

    /// - Parameter current: returns the current keychain at the first use.
    init(current: @escaping @Sendable () throws(DeviceFailure) -> any Keychain = CurrentKeychain.keychain) {
        self.current = current
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Queues an evaluation. Returns at once.
    func evaluate<Question: EvaluationQuestion>(
        _ question: Question, then reply: @escaping PendingReply<Question.Answer>.Reply
    ) {
        let pending = PendingReply(in: replyPlace, reply)
        do throws(DeviceFailure) {
            guard let (number, session) = try begin(pending) else { return pending.fail(.contextEnded) }
            // The caller is only known here.
            let ask = session.prepared(question)
            turns.object.async { [self] in
                defer { endCall() }
                guard isWaited(for: number) else { return }
                let answer = Result(catching: ask)
                let isWaited = state.withLock { $0.evaluations.removeValue(forKey: number) != nil }
                if isWaited { pending.give(answer) }
            }
        } catch {
            pending.fail(Self.unreachable(error))
        }
    }

    /// Passes on a credential for later prompts. Returns false if it is refused.
    func give<Question: AuthenticationQuestion>(_ credential: Question) -> Bool
    where Question.Answer == AuthenticationDone {
        do throws(DeviceFailure) {
            guard let (session, isFree) = try beginCall() else { return false }
            guard isFree else {
                // The credential must not wait for a person either; later prompts come after it.
                turns.object.async { [self] in
                    _ = try? session.ask(credential)
                    endCall()
                }
                return true
            }
            return (try? inTurn { try session.ask(credential) }) != nil
        } catch {
            Self.complain(error)
            return false
        }
    }

    /// Blocks, but not while a person is being asked: a question that any context may answer then uses another session.
    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        let (session, isFree) = try nextCall()
        guard !isFree, Question.traits.contains(.anyContext), let keychain = state.withLock({ $0.keychain }) else {
            return try inTurn { () throws(AuthenticationRefusal) in try session.ask(question) }
        }
        endCall()
        let other = keychain.openSession()
        defer { other.end() }
        return try other.ask(question)
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

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        let session: (any AuthenticationSession)?
        do throws(DeviceFailure) {
            session = try beginCall()?.session
        } catch {
            Self.complain(error)
            throw EnclaveKeyRefusal(.notAvailable)
        }
        guard let session else { return try EndedSession().ask(question) }
        return try inTurn { () throws(EnclaveKeyRefusal) in try session.ask(question) }
    }

    func end() {
        let (session, evaluations) = state.withLock { state in
            state.adoptInChild()
            defer {
                state.isOver = true
                state.session = nil
                state.keychain = nil
                state.evaluations = [:]
            }
            return (state.session, Array(state.evaluations.values))
        }
        session?.end()
        for evaluation in evaluations { evaluation.fail(Self.appCancelled) }
    }

    /// Runs `body` on the queue for replies.
    func answerElsewhere(_ body: @escaping @Sendable () -> Void) {
        replyPlace.run(body)
    }

    private var replyPlace: ReplyPlace { ReplyPlace(scope: CurrentKeychain.scoped ?? home) }

    // MARK: Turns

    /// Returns nil if the conversation is over.
    private func begin(
        _ evaluation: any PendingEvaluation
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

    /// Returns the session for a question. Throws what the program is told if there is none.
    private func nextCall() throws(AuthenticationRefusal) -> (session: any AuthenticationSession, isFree: Bool) {
        do throws(DeviceFailure) {
            if let call = try beginCall() { return call }
        } catch {
            throw Self.unreachable(error)
        }
        throw .contextEnded
    }

    private func inTurn<R, Failure>(_ call: () throws(Failure) -> R) throws(Failure) -> R {
        defer { endCall() }
        return try turns.object.sync { Result(catching: call) }.get()
    }

    private func endCall() {
        state.withLock { $0.callCount -= 1 }
    }

    private func isWaited(for number: UInt64) -> Bool {
        state.withLock { $0.evaluations[number] != nil }
    }

    private func session(_ state: inout State) throws(DeviceFailure) -> (any AuthenticationSession)? {
        guard !state.isOver else { return nil }
        state.adoptInChild()
        if let session = state.session { return session }
        let keychain = if let home { home } else { try current() }
        let session = keychain.openSession()
        state.keychain = keychain
        state.session = session
        state.process = .current
        return session
    }

    // MARK: Answers

    private static let appCancelled = AuthenticationRefusal(
        .appCancel,
        Refusal(.appCancelled))

    /// Names neither the passcode nor biometry: a program must not take the device for one without them.
    private static func unreachable(_ failure: DeviceFailure) -> AuthenticationRefusal {
        complain(failure)
        return AuthenticationRefusal(
            .systemCancel,
            Refusal(
                ruleName: failure.code.rawValue, reason: failure.description,
                advice: "`latchkey status` shows how the device can be reached."))
    }

    /// Writes to standard error, because programs seldom show the text of an error.
    private static func complain(_ failure: DeviceFailure) {
        OncePerProcessLog.ofThisProcess.say("LocalAuthentication: \(failure.description)")
    }
}
