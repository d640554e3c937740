import LatchkeyAccessControl
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

/// A keychain whose sessions answer as they are told and remember what they were asked.
final class ScriptedKeychain: Keychain {
    enum Event: Sendable, Equatable {
        /// An evaluation is put, and its session waits for ``ScriptedKeychain/answer(_:)``.
        case waits
        case ended
    }

    enum Asked: Sendable, Equatable {
        case check(AuthenticationPolicy)
        case evaluate(AuthenticationPolicy, Interaction)
        case accessControl(AccessControl, GuardedOperation, Interaction)
        case applicationPassword([UInt8]?)
        case passcode
        case biometry
        case item(ItemOperation, session: Int?, Interaction?)
    }

    /// The answer to every question but that about biometry.
    enum Reply: Sendable {
        case done(domainState: [UInt8]?)
        case failed(AuthenticationError, Refusal)
    }

    struct Script: Sendable {
        var reply = Reply.done(domainState: nil)
        var biometry = BiometryStatus(
            survey: .noSensor, obstacle: .biometryNotAvailable, enrolmentSet: nil, missesLeft: 5)
        var item = ItemReply(code: .success)
        /// Evaluations wait for ``ScriptedKeychain/answer(_:)``, or for the end of their session.
        var waits = false
        /// A session that ends leaves its evaluation waiting.
        var isDeaf = false
    }

    let script: Mutex<Script>
    let log = Mutex<[Asked]>([])
    let opened = Mutex(0)
    let ended = Mutex(0)
    let answers = Mutex<[Reply]>([])
    private let arrival = AsyncStream.makeStream(of: Event.self)

    init(_ script: Script = Script()) {
        self.script = Mutex(script)
    }

    convenience init(answering reply: Reply) {
        self.init(Script(reply: reply))
    }

    var asked: [Asked] { log.withLock { $0 } }
    var openedCount: Int { opened.withLock { $0 } }
    var endedCount: Int { ended.withLock { $0 } }

    /// Returns when the event was reported. One caller at a time.
    func event(_ event: Event) async {
        for await reported in arrival.stream where reported == event { return }
    }

    func report(_ event: Event) { arrival.continuation.yield(event) }

    /// From now on everything is answered so.
    func says(_ reply: Reply) {
        script.withLock { $0.reply = reply }
    }

    /// Ends the wait of an evaluation.
    func answer(_ reply: Reply) {
        answers.withLock { $0.append(reply) }
        turn.signal()
    }

    let turn = Signal()

    func perform(_ request: ItemRequest) -> ItemReply {
        log.withLock { $0.append(.item(request.operation, session: nil, request.interaction)) }
        return script.withLock { $0.item }
    }

    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        throw .unreachable(.withoutRule(reason: "There is no device."))
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        throw EnclaveKeyRefusal(.unimplemented)
    }

    func ask<Question: FileKeyQuestion>(_ question: Question) throws(FileKeyRefusal) -> Question.Answer {
        throw FileKeyRefusal(.unimplemented)
    }

    func openSession() -> any AuthenticationSession {
        ScriptedSession(
            of: self,
            number: opened.withLock {
                $0 += 1
                return $0
            })
    }

    /// Runs `body` with this keychain as the current one.
    func whileCurrent<R>(_ body: () throws -> R) rethrows -> R {
        try CurrentKeychain.$scoped.withValue(self) { try body() }
    }

    func whileCurrent<R>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async rethrows
        -> R
    {
        try await CurrentKeychain.$scoped.withValue(self) { try await body() }
    }
}

final class ScriptedSession: AuthenticationSession {
    private let keychain: ScriptedKeychain
    private let number: Int
    private let isOver = Mutex(false)

    init(of keychain: ScriptedKeychain, number: Int) {
        self.keychain = keychain
        self.number = number
    }

    func ask<Question: AuthenticationQuestion>(
        _ question: Question
    ) throws(AuthenticationRefusal) -> Question.Answer {
        try question.answer(by: self)
    }

    func perform(_ request: ItemRequest) -> ItemReply {
        keychain.log.withLock { $0.append(.item(request.operation, session: number, request.interaction)) }
        return isOver.withLock { $0 } ? EndedSession().perform(request) : keychain.script.withLock { $0.item }
    }

    func ask<Question: KeyQuestion>(_ question: Question) throws(EnclaveKeyRefusal) -> Question.Answer {
        throw EnclaveKeyRefusal(.unimplemented)
    }

    func end() {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return }
        keychain.ended.withLock { $0 += 1 }
        keychain.turn.signal()
        keychain.report(.ended)
    }
}

extension ScriptedSession: AuthenticationAnswers {
    func answer(_ question: CheckPolicy) throws(AuthenticationRefusal) -> PolicyFulfilment {
        PolicyFulfilment(domainState: try reply(to: .check(question.policy)))
    }

    func answer(_ question: EvaluatePolicy) throws(AuthenticationRefusal) -> PolicyFulfilment {
        PolicyFulfilment(domainState: try evaluated(.evaluate(question.policy, question.interaction)))
    }

    func answer(_ question: EvaluateAccessControl) throws(AuthenticationRefusal) -> AuthenticationDone {
        _ = try evaluated(.accessControl(question.accessControl, question.operation, question.interaction))
        return AuthenticationDone()
    }

    func answer(_ question: SetContextPassword) throws(AuthenticationRefusal) -> AuthenticationDone {
        _ = try reply(to: .applicationPassword(question.password?.withBytes { [UInt8]($0) }))
        return AuthenticationDone()
    }

    func answer(_ question: SetContextPasscode) throws(AuthenticationRefusal) -> AuthenticationDone {
        _ = try reply(to: .passcode)
        return AuthenticationDone()
    }

    func answer(_ question: DescribeBiometry) throws(AuthenticationRefusal) -> DeviceBiometry {
        let status = keychain.script.withLock { $0.biometry }
        keychain.log.withLock { $0.append(.biometry) }
        return DeviceBiometry(status, domainState: status.enrolmentSet?.bytes)
    }

    private func reply(to asked: ScriptedKeychain.Asked) throws(AuthenticationRefusal) -> [UInt8]? {
        let script = keychain.script.withLock { $0 }
        keychain.log.withLock { $0.append(asked) }
        return try script.reply.domainState()
    }

    private func evaluated(_ asked: ScriptedKeychain.Asked) throws(AuthenticationRefusal) -> [UInt8]? {
        let script = keychain.script.withLock { $0 }
        keychain.log.withLock { $0.append(asked) }
        return try (script.waits ? waitForAnswer() : script.reply).domainState()
    }

    private func waitForAnswer() -> ScriptedKeychain.Reply {
        keychain.report(.waits)
        while true {
            if let answer = keychain.answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return answer }
            if isOver.withLock({ $0 }), !keychain.script.withLock({ $0.isDeaf }) {
                return .failed(.appCancel, EndedSession.refusal)
            }
            keychain.turn.wait()
        }
    }
}

extension ScriptedKeychain.Reply {
    func domainState() throws(AuthenticationRefusal) -> [UInt8]? {
        switch self {
        case .done(let domainState): return domainState
        case .failed(let error, let refusal): throw AuthenticationRefusal(error, refusal)
        }
    }
}

extension ScriptedKeychain.Asked {
    /// The interaction that the question carries.
    var interaction: Interaction? {
        switch self {
        case .evaluate(_, let interaction), .accessControl(_, _, let interaction): interaction
        case .item(_, _, let interaction): interaction
        default: nil
        }
    }
}
