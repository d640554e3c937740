import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeySecretMemory

/// What may be done with the keys of one request, with what a context was proved. Each rule is judged once.
struct Permissions {
    enum Permission {
        /// `passwordKey` opens the inner layer, where there is one.
        case granted(passwordKey: SecretBox?)
        case refused(KeyRefusal)
    }

    private let operation: GuardedOperation
    private let context: ContextIdentifier?
    private let service: EnclaveService
    private var standing: AuthenticationContexts.Standing?
    private var permissions: [AccessControl: Permission] = [:]

    init(for operation: GuardedOperation, of context: ContextIdentifier?, in service: EnclaveService) {
        self.operation = operation
        self.context = context
        self.service = service
    }

    /// For the key of an item.
    mutating func permission(for wrapped: WrappedKey) -> Permission {
        switch service.rules.rule(of: wrapped.binding, use: wrapped.use, keyClass: wrapped.keyClass) {
        case .none: .granted(passwordKey: nil)
        case .unreadable: .refused(.damaged)
        case .guarded(let control): permission(under: control)
        }
    }

    mutating func permission(under control: AccessControl) -> Permission {
        if let known = permissions[control] { return known }
        let permission = judge(control)
        permissions[control] = permission
        return permission
    }

    /// Without looking at what was judged before. The class key is not looked at.
    mutating func judge(_ control: AccessControl) -> Permission {
        guard control.isBound else { return .refused(.damaged) }
        let standing = self.standing ?? context.flatMap { service.standing(of: $0) } ?? .none
        self.standing = standing
        // The sensor is asked only where its answer matters: a passcode, or no evidence at all, needs none.
        let dependsOnBiometry =
            control.constraint(for: operation)?.dependsOnBiometry(with: standing.evidence) ?? false
        let circumstances = service.circumstances(lookingAtSensor: dependsOnBiometry)
        switch control.verdict(for: operation, evidence: standing.evidence, circumstances: circumstances) {
        case .granted:
            return .granted(passwordKey: control.needsApplicationPassword ? standing.passwordKey : nil)
        case .refused(.enrolmentChanged):
            return .refused(.invalidated)
        case .needs, .refused:
            return .refused(.authenticationNeeded)
        }
    }
}
