import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization

/// A call of a program on items or keys, with the authentication that it may use.
final class GuardedCall: Sendable {
    let caller: Caller
    /// The program's own context if the call names it, otherwise a context of this call.
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

    /// True if the program no longer waits for the answer: work that only produces the answer can stop.
    var isAbandoned: Bool { session?.isAbandoned ?? false }

    /// Returns the parameters of a prompt for a query; `query` is nil for a key.
    func asking(for query: ItemQuery? = nil, on item: ItemName? = nil) -> PromptParameters {
        var interaction = interaction ?? Interaction()
        if let query {
            if query.authenticationUI != .allow { interaction.isAllowed = false }
            if interaction.reason.isEmpty { interaction.reason = Self.shown(query.operationPrompt ?? "") }
        }
        // If the call does not name the session's context, the session only reports that the program has gone away.
        return PromptParameters(
            caller: caller, context: context, interaction: interaction, session: session, item: item)
    }

    /// Returns the authentication that is required if a key was refused for lack of it; nil for other refusals.
    /// - Parameters:
    ///   - accessControl: the access control of the item or key. Read only if authentication is required.
    ///   - isNew: true if the item or key is being created.
    ///   - item: the name that a prompt shows.
    func need<Problem>(
        _ refusal: KeyRefusal, to operation: GuardedOperation, isNew: Bool = false, for query: ItemQuery? = nil,
        on item: @autoclosure () -> ItemName? = nil, under accessControl: () throws(Problem) -> AccessControl
    ) throws(Problem) -> AuthenticationRequirement? {
        let kind: AuthenticationRequirement.Kind
        switch refusal {
        case .authenticationNeeded: kind = .conditions(operation, isNew: isNew)
        case .wrongApplicationPassword: kind = .rightApplicationPassword
        case .locked, .classKeyMissing, .damaged, .invalidated, .deleted: return nil
        }
        return AuthenticationRequirement(
            kind: kind, accessControl: try accessControl(), asking: asking(for: query, on: item()))
    }

    /// Returns the authentication that an enclave key requires, according to the enclave.
    /// - Parameter item: as in ``need(_:to:isNew:for:on:under:)``.
    func need(_ proof: MissingProof, to operation: GuardedOperation, on item: ItemName?) -> AuthenticationRequirement {
        let isOfThisContext = context.adopt(proof.context)
        return AuthenticationRequirement(
            kind: .conditions(operation, isNew: false), accessControl: proof.accessControl, asking: asking(on: item),
            verdict: isOfThisContext ? proof.verdict : nil)
    }

    /// Returns a program's text as the user sees it, cut to the limit for texts of contexts.
    private static func shown(_ text: String) -> String {
        guard text.utf8.count > MessageCoding.interactionTextByteCount else { return text }
        return String(decoding: text.utf8.prefix(MessageCoding.interactionTextByteCount), as: UTF8.self)
    }

    /// Returns true if a wrong application password may be prompted for again: the user typed it, and it was not wrong
    /// too often.
    fileprivate func mayAskForPasswordAgain() -> Bool {
        let count = wrongPasswords.add(1, ordering: .relaxed).newValue
        return count < 3 && context.passwordWasTyped.load(ordering: .relaxed)
    }
}

/// The authentication that a call lacks. The call throws it (``Setback/need(_:)``) and starts again when the user has
/// authenticated.
struct AuthenticationRequirement: Sendable {
    enum Kind {
        /// `isNew`: for an item or key that is being created, so an application password is a new one.
        case conditions(GuardedOperation, isNew: Bool)
        case rightApplicationPassword
    }

    let kind: Kind
    let accessControl: AccessControl
    let asking: PromptParameters
    /// The verdict of the enclave a moment ago; nil if the enclave was not asked yet.
    var verdict: Verdict?
}

extension AuthenticationBroker {
    private static let callRoundLimit = 20

    /// Runs a call. If it requires authentication, it stops, the user is prompted, and the call starts again: no
    /// transaction is open while the user is prompted.
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

    private func satisfy(_ need: AuthenticationRequirement, _ call: GuardedCall) throws(Setback) {
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
