import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// A context that asks the person at the device for what a policy or an access control requires, and keeps the proofs.
///
/// Items and keys that are used with the context under `kSecUseAuthenticationContext` use its proofs, and proofs given
/// for them stay with it. It forgets everything with ``invalidate()`` and when it is released. An evaluation keeps its
/// context alive until the reply. All of it may be used from any thread.
open class LAContext: NSObject {
    private struct Settings {
        var reason = ""
        var fallbackTitle: String?
        var cancelTitle: String?
        var forbidsInteraction = false
        var reuseSeconds: TimeInterval = 0
        var domainState: Data?
        var credentials: Set<LACredentialType> = []
    }

    let conversation = Conversation()
    private let settings = ForkMutex(Settings())

    override public init() {
        super.init()
    }

    deinit {
        conversation.end()
    }

    // MARK: Evaluating

    /// Returns true if evaluating the policy could succeed now. Never prompts.
    ///
    /// - Parameter error: filled with an ``LAError`` whenever the result is false.
    open func canEvaluatePolicy(_ policy: LAPolicy, error: NSErrorPointer) -> Bool {
        do throws(AuthenticationRefusal) {
            keep(try conversation.ask(CheckPolicy(policy.inMessages)))
            return true
        } catch let refusal {
            unsafe error?.pointee = LAError(refusal) as NSError
            return false
        }
    }

    /// Asks the person at the device.
    ///
    /// - Parameters:
    ///   - localizedReason: the reason for the prompt, shown to the person. It must not be empty.
    ///   - reply: called once, never on the caller's thread.
    open func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        evaluate(EvaluatePolicy(policy.inMessages, interaction(reason: localizedReason)), reply: reply) {
            $0.keep($1)
        }
    }

    /// Asks the person at the device. Only ``invalidate()`` ends it, not cancelling the task.
    @discardableResult
    nonisolated(nonsending) open func evaluatePolicy(_ policy: LAPolicy, localizedReason: String) async throws -> Bool {
        // Uses the other form, so that a subclass that overrides only that one is called.
        try await withCheckedThrowingContinuation { continuation in
            evaluatePolicy(policy, localizedReason: localizedReason) { isFulfilled, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isFulfilled))
            }
        }
    }

    /// Asks the person for what an access control requires for an operation.
    open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String,
        reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        let rules = accessControl.rules
        let question = EvaluateAccessControl(
            rules, for: operation.guarded(by: rules), interaction(reason: localizedReason))
        evaluate(question, reply: reply)
    }

    /// Asks the person for what an access control requires for an operation.
    @discardableResult
    nonisolated(nonsending) open func evaluateAccessControl(
        _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason: String
    ) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            evaluateAccessControl(accessControl, operation: operation, localizedReason: localizedReason) {
                isFulfilled, error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(isFulfilled))
            }
        }
    }

    /// Forgets all proofs. A running evaluation ends with `appCancel`, later ones with `invalidContext`; items are no
    /// longer opened with the context.
    open func invalidate() {
        conversation.end()
    }

    // MARK: Credentials

    /// Sets a credential in place of the person, or removes it with nil. An application password is only checked when
    /// something is opened with it.
    @discardableResult
    open func setCredential(_ credential: Data?, type: LACredentialType) -> Bool {
        let secret = credential.map { bytes in
            unsafe bytes.withUnsafeBytes { unsafe SecretBox(copying: $0) }
        }
        let isTaken =
            switch type {
            case .applicationPassword: conversation.give(SetContextPassword(secret))
            case .passcode: conversation.give(SetContextPasscode(secret))
            case .smartCardPIN: false
            }
        if isTaken {
            settings.withLock { settings in
                if secret == nil { settings.credentials.remove(type) } else { settings.credentials.insert(type) }
            }
        }
        return isTaken
    }

    open func isCredentialSet(_ type: LACredentialType) -> Bool {
        !conversation.isOver && settings.withLock { $0.credentials.contains(type) }
    }

    // MARK: Prompts

    /// The title of the button for the other way; nil means the default, empty means no such button.
    open var localizedFallbackTitle: String? {
        get { settings.withLock { $0.fallbackTitle } }
        set { settings.withLock { $0.fallbackTitle = newValue } }
    }

    /// The title of the button that cancels; nil or empty means the default.
    open var localizedCancelTitle: String? {
        get { settings.withLock { $0.cancelTitle } }
        set { settings.withLock { $0.cancelTitle = newValue } }
    }

    /// The reason that is shown when an item is used with the context.
    open var localizedReason: String {
        get { settings.withLock { $0.reason } }
        set { settings.withLock { $0.reason = newValue } }
    }

    /// True if everything that needs a person fails with `notInteractive` instead of asking.
    open var interactionNotAllowed: Bool {
        get { settings.withLock { $0.forbidsInteraction } }
        set { settings.withLock { $0.forbidsInteraction = newValue } }
    }

    /// The number of seconds for which an unlock of the device by biometry counts, at most
    /// ``LATouchIDAuthenticationMaximumAllowableReuseDuration``.
    open var touchIDAuthenticationAllowableReuseDuration: TimeInterval {
        get { settings.withLock { $0.reuseSeconds } }
        set { settings.withLock { $0.reuseSeconds = newValue } }
    }

    // MARK: The device

    /// The kind of biometry that the device has, whether or not it can be used now.
    open var biometryType: LABiometryType { enrolment.biometry.biometryType }

    /// The present enrolment.
    open var domainState: LADomainState { enrolment }

    private var enrolment: LADomainState {
        guard let biometry = try? conversation.ask(DescribeBiometry()) else {
            return LADomainState(biometryType: .none, stateHash: nil)
        }
        return LADomainState(
            biometryType: LABiometryType(biometry.status.survey), stateHash: biometry.domainState.map { Data($0) })
    }

    /// The fingers that were enrolled when biometry matched in an evaluation of this context, or when
    /// `canEvaluatePolicy` last succeeded for a policy of biometry alone; nil before. An evaluation that the passcode
    /// fulfilled does not set it.
    open var evaluatedPolicyDomainState: Data? { settings.withLock { $0.domainState } }

    // MARK: Answers

    /// Sendable because a context may be used from any thread; a subclass shares that promise for what it overrides.
    private struct Kept: @unchecked Sendable {
        let context: LAContext
    }

    private func evaluate<Question: EvaluationQuestion>(
        _ question: Question, reply: @escaping @Sendable (Bool, (any Error)?) -> Void,
        onSuccess: @escaping @Sendable (LAContext, Question.Answer) -> Void = { _, _ in }
    ) {
        guard !question.interaction.reason.isEmpty else {
            OncePerProcessLog.ofThisProcess.say(
                "LocalAuthentication: an evaluation without a localizedReason fails without a prompt.")
            return conversation.answerElsewhere { reply(false, LAError.missingReason) }
        }
        let kept = Kept(context: self)
        conversation.evaluate(question) { result in
            switch result {
            case .success(let answer):
                onSuccess(kept.context, answer)
                reply(true, nil)
            case .failure(let refusal): reply(false, LAError(refusal))
            }
        }
    }

    /// Keeps the state of the enrolment.
    private func keep(_ fulfilment: PolicyFulfilment) {
        guard let domainState = fulfilment.domainState else { return }
        settings.withLock { $0.domainState = Data(domainState) }
    }
}

extension LAPolicy {
    fileprivate var inMessages: AuthenticationPolicy {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics: .biometry
        case .deviceOwnerAuthentication: .deviceOwner
        case .deviceOwnerAuthenticationWithCompanion: .companion
        case .deviceOwnerAuthenticationWithBiometricsOrCompanion: .biometryOrCompanion
        case .deviceOwnerAuthenticationWithWristDetection: .wristDetection
        }
    }
}
