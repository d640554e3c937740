import AccessControl
import EnclaveCore
import ItemModel
import KeychainMessages
import Synchronization

/// One of the four calls, with what it may use of a person's proof.
final class ItemCall: Sendable {
    let caller: Caller
    /// The program's own where it named one, else one of this call.
    let context: EnclaveContext
    private let request: ItemRequest
    private let session: ServiceSession?
    private let wrongPasswords = Atomic(0)

    init(_ request: ItemRequest, _ caller: Caller, _ session: ServiceSession?, _ enclave: any EnclaveMailbox) {
        self.caller = caller
        self.request = request
        self.session = session
        context = request.interaction.flatMap { _ in session?.context } ?? EnclaveContext(enclave: enclave)
    }

    /// How a person may be asked for a query of this call.
    func asking(for query: ItemQuery) -> Asking {
        var interaction = request.interaction ?? Interaction()
        if query.authenticationUI != .allow { interaction.isAllowed = false }
        if interaction.reason.isEmpty { interaction.reason = Self.shown(query.operationPrompt ?? "") }
        // The session of a call without a context of its own only tells when its program goes away.
        return Asking(caller: caller, context: context, interaction: interaction, session: session)
    }

    /// What the person must prove where a key was refused for that; nil for other refusals.
    func need(
        _ refusal: KeyRefusal, toOpen item: StoredItem, _ operation: GuardedOperation, for query: ItemQuery
    ) -> AuthenticationNeed? {
        let kind: AuthenticationNeed.Kind
        switch refusal {
        case .authenticationNeeded: kind = .conditions(operation)
        case .wrongApplicationPassword: kind = .rightApplicationPassword
        case .locked, .classKeyMissing, .damaged, .invalidated: return nil
        }
        return AuthenticationNeed(kind: kind, accessControl: item.accessControl, asking: asking(for: query))
    }

    /// A program's text as a person sees it: no longer than a context may give it.
    private static func shown(_ text: String) -> String {
        guard text.utf8.count > MessageCoding.interactionTextByteCount else { return text }
        return String(decoding: text.utf8.prefix(MessageCoding.interactionTextByteCount), as: UTF8.self)
    }

    /// Whether a wrong application password may be asked for again: it came from a person, and was not wrong too often.
    func mayAskForPasswordAgain() -> Bool {
        let count = wrongPasswords.add(1, ordering: .relaxed).newValue
        return count < 3 && context.passwordWasTyped.load(ordering: .relaxed)
    }
}

/// Thrown where a call finds that it needs a person. The call begins anew when there is what is missing.
struct AuthenticationNeed: Error {
    enum Kind {
        case conditions(GuardedOperation)
        case rightApplicationPassword
    }

    let kind: Kind
    /// Serialised.
    let accessControl: [UInt8]
    let asking: Asking
}

extension KeychainService {
    /// Blocks as long as a person is asked.
    func authenticate(
        _ demand: AuthenticationDemand, _ asking: Asking, isNewPassword: Bool = false, opensKeyNext: Bool = false
    ) throws {
        do {
            try authentication.satisfy(
                demand, asking, isNewPassword: isNewPassword, opensKeyNext: opensKeyNext)
        } catch let failure as AuthenticationFailure where failure.hasErasedDevice {
            noticeErase(.erased)
            throw failure
        }
    }

    func satisfy(_ need: AuthenticationNeed, _ call: ItemCall) throws {
        switch need.kind {
        case .conditions(let operation):
            try authenticate(
                .accessControl(need.accessControl, operation), need.asking, isNewPassword: operation == .encrypt,
                opensKeyNext: operation == .decrypt)
        case .rightApplicationPassword:
            guard call.mayAskForPasswordAgain() else { throw AuthenticationFailure.wrongApplicationPassword }
            try authentication.replaceApplicationPassword(need.asking)
        }
    }
}
