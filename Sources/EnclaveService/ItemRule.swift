import AccessControl
import EnclaveCore
import Keybag
import SecretMemory
import Synchronization

/// What the binding of a wrapped key asks for.
enum ItemRule: Sendable {
    /// Nothing beside the class key.
    case none
    case guarded(AccessControl)
    /// No access control, or one of another class: nothing that the enclave would have made a key for.
    case unreadable

    /// The serialised access controls that ask for nothing, which most items have.
    private static let free = Dictionary(
        uniqueKeysWithValues: Protection.allCases.map { (AccessControl(protection: $0).serialised, $0) })

    init(of binding: [UInt8], use: KeyUse, keyClass: KeyClass) {
        guard use == .item, !binding.isEmpty else {
            self = .none
            return
        }
        if let protection = Self.free[binding] {
            self = protection.rawValue == keyClass.accessibleName ? .none : .unreadable
            return
        }
        guard let control = try? AccessControl(serialised: binding),
            control.protection.rawValue == keyClass.accessibleName
        else {
            self = .unreadable
            return
        }
        self = .guarded(control)
    }
}

/// Rules that were read before: a search asks for the same few again and again.
final class ItemRules: Sendable {
    private struct Key: Hashable {
        let binding: [UInt8]
        let keyClass: KeyClass
    }

    private static let limit = 256

    private let read = Mutex<[Key: ItemRule]>([:])

    func rule(of binding: [UInt8], use: KeyUse, keyClass: KeyClass) -> ItemRule {
        guard use == .item, !binding.isEmpty else { return .none }
        let key = Key(binding: binding, keyClass: keyClass)
        return read.withLock { read in
            if let known = read[key] { return known }
            if read.count >= Self.limit { read = [:] }
            let rule = ItemRule(of: binding, use: use, keyClass: keyClass)
            read[key] = rule
            return rule
        }
    }
}

/// Which keys of one request open with what a context was proved. Each rule is judged once.
struct ItemPermissions {
    enum Permission {
        /// `passwordKey` opens the inner layer, where there is one.
        case granted(passwordKey: SecretBox?)
        case refused(KeyRefusal)
    }

    private let context: ContextIdentifier?
    private let service: EnclaveService
    private var standing: AuthenticationContexts.Standing?
    private var permissions: [AccessControl: Permission] = [:]

    init(of context: ContextIdentifier?, in service: EnclaveService) {
        self.context = context
        self.service = service
    }

    mutating func permission(for wrapped: WrappedKey) -> Permission {
        switch service.rules.rule(of: wrapped.binding, use: wrapped.use, keyClass: wrapped.keyClass) {
        case .none:
            return .granted(passwordKey: nil)
        case .unreadable:
            return .refused(.damaged)
        case .guarded(let control):
            if let known = permissions[control] { return known }
            let permission = judge(control)
            permissions[control] = permission
            return permission
        }
    }

    private mutating func judge(_ control: AccessControl) -> Permission {
        guard control.isBound else { return .refused(.damaged) }
        let standing = self.standing ?? context.flatMap { service.standing(of: $0) } ?? .none
        self.standing = standing
        // The sensor is asked only where its answer matters: a passcode, or no evidence at all, needs none.
        let dependsOnBiometry =
            control.constraint(for: .decrypt)?.dependsOnBiometry(with: standing.evidence) ?? false
        let circumstances = service.circumstances(lookingAtSensor: dependsOnBiometry)
        switch control.verdict(for: .decrypt, evidence: standing.evidence, circumstances: circumstances) {
        case .granted:
            return .granted(passwordKey: control.needsApplicationPassword ? standing.passwordKey : nil)
        case .refused(.enrolmentChanged):
            return .refused(.invalidated)
        case .needs, .refused:
            return .refused(.authenticationNeeded)
        }
    }
}
