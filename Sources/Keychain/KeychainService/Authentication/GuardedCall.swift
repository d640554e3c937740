import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

/// A call of a program on items or keys, with what it may use of a person's proof.
final class GuardedCall: Sendable {
    let caller: Caller
    /// The program's own where it named one, else one of this call.
    let context: EnclaveContext
    private let interaction: Interaction?
    private let session: ServiceSession?
    private let wrongPasswords = Atomic(0)

    /// - Parameter interaction: nil for a call that does not name the context of its session.
    init(
        _ interaction: Interaction?, _ caller: Caller, _ session: ServiceSession?, _ enclave: any EnclaveMailbox
    ) throws(Setback) {
        if interaction != nil, session?.isOver ?? false { throw .authentication(.contextEnded) }
        self.caller = caller
        self.interaction = interaction
        self.session = session
        context = interaction.flatMap { _ in session?.context } ?? EnclaveContext(enclave: enclave)
    }

    /// The program no longer waits for the answer: work that only makes one can stop.
    var isAbandoned: Bool { session?.isAbandoned ?? false }

    /// How a person may be asked for what a query names; nil: for a key.
    func asking(for query: ItemQuery? = nil, on item: ItemName? = nil) -> Asking {
        var interaction = interaction ?? Interaction()
        if let query {
            if query.authenticationUI != .allow { interaction.isAllowed = false }
            if interaction.reason.isEmpty { interaction.reason = Self.shown(query.operationPrompt ?? "") }
        }
        // The session of a call without a context of its own only tells when its program goes away.
        return Asking(caller: caller, context: context, interaction: interaction, session: session, item: item)
    }

    /// What the person must prove where a key was refused for that; nil for other refusals.
    /// - Parameters:
    ///   - accessControl: that of the item or key. Read only where a person is needed.
    ///   - isNew: the item or key is just being made.
    ///   - item: the name that a prompt shows.
    func need<Problem>(
        _ refusal: KeyRefusal, to operation: GuardedOperation, isNew: Bool = false, for query: ItemQuery? = nil,
        on item: @autoclosure () -> ItemName? = nil, under accessControl: () throws(Problem) -> AccessControl
    ) throws(Problem) -> AuthenticationNeed? {
        let kind: AuthenticationNeed.Kind
        switch refusal {
        case .authenticationNeeded: kind = .conditions(operation, isNew: isNew)
        case .wrongApplicationPassword: kind = .rightApplicationPassword
        case .locked, .classKeyMissing, .damaged, .invalidated, .deleted: return nil
        }
        return AuthenticationNeed(
            kind: kind, accessControl: try accessControl(), asking: asking(for: query, on: item()))
    }

    /// What the user must prove for a key of the enclave, which says so itself.
    /// - Parameter item: as in ``need(_:to:isNew:for:on:under:)``.
    func need(_ proof: MissingProof, to operation: GuardedOperation, on item: ItemName?) -> AuthenticationNeed {
        let isOfThisContext = context.adopt(proof.context)
        return AuthenticationNeed(
            kind: .conditions(operation, isNew: false), accessControl: proof.accessControl, asking: asking(on: item),
            verdict: isOfThisContext ? proof.verdict : nil)
    }

    /// A program's text as a person sees it: no longer than a context may give it.
    private static func shown(_ text: String) -> String {
        guard text.utf8.count > MessageCoding.interactionTextByteCount else { return text }
        return String(decoding: text.utf8.prefix(MessageCoding.interactionTextByteCount), as: UTF8.self)
    }

    /// Whether a wrong application password may be asked for again: it came from a person, and was not wrong too often.
    fileprivate func mayAskForPasswordAgain() -> Bool {
        let count = wrongPasswords.add(1, ordering: .relaxed).newValue
        return count < 3 && context.passwordWasTyped.load(ordering: .relaxed)
    }
}

/// The proof that a call lacks. The call throws it (``Setback/need(_:)``) and begins anew when the user has given it.
struct AuthenticationNeed: Sendable {
    enum Kind {
        /// `isNew`: for an item or key that is just being made: an application password is a new one.
        case conditions(GuardedOperation, isNew: Bool)
        case rightApplicationPassword
    }

    let kind: Kind
    let accessControl: AccessControl
    let asking: Asking
    /// The enclave's, of a moment ago; nil where it was not asked yet.
    var verdict: Verdict?
}

extension AuthenticationBroker {
    private static let callRoundLimit = 20

    /// A call that needs a person stops where it finds that out, and begins anew when the person has proved what is
    /// missing: nothing waits for a person inside of a transaction.
    func inRounds<Answer>(_ call: GuardedCall, _ body: () throws(Setback) -> Answer) throws(Setback) -> Answer {
        for _ in 0..<Self.callRoundLimit {
            do throws(Setback) {
                return try body()
            } catch .need(let need) {
                try satisfy(need, call)
            }
        }
        throw .authentication(.tooManyRounds)
    }

    private func satisfy(_ need: AuthenticationNeed, _ call: GuardedCall) throws(Setback) {
        switch need.kind {
        case .conditions(let operation, let isNew):
            try satisfy(
                .accessControl(need.accessControl, operation), need.asking, isNewPassword: isNew,
                opensKeyNext: !isNew, verdict: need.verdict)
        case .rightApplicationPassword:
            guard call.mayAskForPasswordAgain() else { throw .authentication(.wrongApplicationPassword) }
            try replaceApplicationPassword(need.asking)
        }
    }
}
