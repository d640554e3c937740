import LatchkeyAccessControl
import LatchkeyEnclaveCore
import LatchkeyKeybag
import LatchkeySecretMemory
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
