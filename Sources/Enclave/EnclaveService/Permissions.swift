import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeySecretMemory

/// The permissions for the keys of one request, by the evidence of its context. Each rule is judged once.
struct Permissions {
    enum Permission<Key: Sendable>: ~Copyable {
        case granted(AccessGrant<Key>)
        case refused(KeyRefusal)
    }

    private enum Judgement {
        /// `passwordKey` unwraps the inner layer, if there is one.
        case granted(passwordKey: SecretBox?)
        case refused(KeyRefusal)

        func permission<Key>(for key: Key) -> Permission<Key> {
            switch self {
            case .granted(let passwordKey): .granted(AccessGrant(judged: key, passwordKey: passwordKey))
            case .refused(let refusal): .refused(refusal)
            }
        }
    }

    private let operation: GuardedOperation
    private let context: ContextIdentifier?
    private let service: EnclaveService
    private var contextState: AuthenticationContexts.ContextState?
    private var judgements: [AccessControl: Judgement] = [:]

    init(for operation: GuardedOperation, of context: ContextIdentifier?, in service: EnclaveService) {
        self.operation = operation
        self.context = context
        self.service = service
    }

    /// Returns the permission for the key of an item.
    mutating func permission(for wrapped: WrappedKey) -> Permission<WrappedKey> {
        judgement(of: wrapped).permission(for: wrapped)
    }

    /// Returns the permission for the key of a file or item in a backup. It has no rule of its own: the rule of the
    /// backup's class key, which wraps it, is judged.
    mutating func permission(
        for key: UnwrapBackupKeys.Key, ofClass classKey: WrappedKey
    ) -> Permission<UnwrapBackupKeys.Key> {
        judgement(of: classKey).permission(for: key)
    }

    /// Returns the permission for an enclave key, which is the only key of its request.
    mutating func permission(for blob: EnclaveKeyBlob) -> Permission<EnclaveKeyBlob> {
        judge(blob.accessControl).permission(for: blob)
    }

    /// Returns the reason why a key under an access control would be refused; nil if it would not be.
    mutating func refusal(under control: AccessControl) -> KeyRefusal? {
        if case .refused(let refusal) = judgement(under: control) { refusal } else { nil }
    }

    private mutating func judgement(of wrapped: WrappedKey) -> Judgement {
        switch service.rules.rule(of: wrapped.binding, use: wrapped.use, keyClass: wrapped.keyClass) {
        case .none: .granted(passwordKey: nil)
        case .unreadable: .refused(.damaged)
        case .guarded(let control): judgement(under: control)
        }
    }

    private mutating func judgement(under control: AccessControl) -> Judgement {
        if let known = judgements[control] { return known }
        let judgement = judge(control)
        judgements[control] = judgement
        return judgement
    }

    /// Judges a rule without the cache. Does not check the class key.
    private mutating func judge(_ control: AccessControl) -> Judgement {
        guard control.isBound else { return .refused(.damaged) }
        let contextState = self.contextState ?? context.flatMap { service.contextState(of: $0) } ?? .none
        self.contextState = contextState
        // The sensor is surveyed only if it affects the result; not for a passcode, or without any evidence.
        let dependsOnBiometry =
            control.constraint(for: operation)?.dependsOnBiometry(with: contextState.evidence) ?? false
        let environment = service.environment(lookingAtSensor: dependsOnBiometry)
        switch control.verdict(for: operation, evidence: contextState.evidence, environment: environment) {
        case .granted:
            return .granted(passwordKey: control.needsApplicationPassword ? contextState.passwordKey : nil)
        case .refused(.enrolmentChanged):
            return .refused(.invalidated)
        case .needs, .refused:
            return .refused(.authenticationNeeded)
        }
    }
}
