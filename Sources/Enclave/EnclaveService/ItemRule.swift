import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// The rule in the binding of a wrapped key.
enum ItemRule: Sendable {
    /// The class key is enough.
    case none
    case guarded(AccessControl)
    /// The binding is not an access control, or is one of another class. The enclave makes no keys with such a binding.
    case unreadable

    init(of binding: [UInt8], use: KeyUse, keyClass: KeyClass) {
        guard use == .item, !binding.isEmpty else {
            self = .none
            return
        }
        guard let control = try? AccessControl(serialised: binding), control.protection == keyClass.protectionClass
        else {
            self = .unreadable
            return
        }
        self = control == AccessControl(protection: control.protection) ? .none : .guarded(control)
    }
}

/// A cache of parsed rules: searches need the same few rules repeatedly.
final class ItemRules: Sendable {
    private struct Key: Hashable {
        let binding: [UInt8]
        let keyClass: KeyClass
    }

    private static let limit = 256

    private let read = ForkMutex<[Key: ItemRule]>([:])

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
