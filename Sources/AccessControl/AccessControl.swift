/// When and for what an item may be used: a protection class and conditions.
///
/// A value that exists obeys the rules of creation and is in its simplest form, so that two access controls with the
/// same effect are equal.
package struct AccessControl: Sendable, Hashable {
    package let protection: Protection
    /// Without unknown bits; `or` only where there are several conditions, `and` wherever there are several and no `or`.
    package let flags: AccessControlFlags
    /// Whether everything that is decided when the item is added is decided: true from the start where there is nothing
    /// to decide.
    package let isBound: Bool

    /// - Parameter protection: a value of `kSecAttrAccessible`; nil where the caller gave something that is no text.
    package init(protection name: String?, flags: AccessControlFlags) throws(CreationRefusal) {
        guard let name, let protection = Protection(rawValue: name) else {
            throw .unknownProtection(found: name)
        }
        try self.init(protection: protection, flags: flags)
    }

    package init(protection: Protection, flags: AccessControlFlags = []) throws(CreationRefusal) {
        if let refusal = Self.refusal(of: flags) { throw refusal }
        self.init(protection: protection, simplest: Self.simplest(flags), isBound: nil)
    }

    /// No conditions: an accessibility alone.
    package init(protection: Protection) {
        self.init(protection: protection, simplest: [], isBound: nil)
    }

    private init(protection: Protection, simplest flags: AccessControlFlags, isBound: Bool?) {
        self.protection = protection
        self.flags = flags
        self.isBound = isBound ?? flags.isDisjoint(with: [.conditions, .applicationPassword])
    }

    /// The conditions alone.
    package var conditions: AccessControlFlags { flags.intersection(.conditions) }

    /// Whether using the item asks for more than an unlocked device.
    package var isConstrained: Bool { !flags.isDisjoint(with: [.conditions, .applicationPassword]) }

    /// Whether one fulfilled condition is enough.
    package var needsOnlyOneCondition: Bool { flags.contains(.or) }

    package var isForPrivateKeys: Bool { flags.contains(.privateKeyUsage) }
    package var needsApplicationPassword: Bool { flags.contains(.applicationPassword) }

    /// The same access control, marked as bound or not.
    package func marked(asBound isBound: Bool) -> AccessControl {
        AccessControl(protection: protection, simplest: flags, isBound: isBound)
    }

    private static func refusal(of flags: AccessControlFlags) -> CreationRefusal? {
        if flags.isSuperset(of: [.or, .and]) { return .bothOrAndAnd }
        if flags.isSuperset(of: [.biometryAny, .biometryCurrentSet]) { return .bothKindsOfBiometry }
        if flags.contains(.userPresence) {
            let others = flags.subtracting([.userPresence, .applicationPassword, .privateKeyUsage])
            guard others.isEmpty else { return .userPresenceWithOthers(others: others) }
        }
        return nil
    }

    private static func simplest(_ flags: AccessControlFlags) -> AccessControlFlags {
        let known = flags.intersection(.known)
        guard known.conditionCount >= 2 else { return known.subtracting([.or, .and]) }
        return known.contains(.or) ? known : known.union(.and)
    }
}
