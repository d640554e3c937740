/// When and for what an item may be used: a protection class and conditions.
///
/// A value that exists obeys the rules of creation and is in its simplest form, so that two access controls with the
/// same effect are equal.
package struct AccessControl: Sendable, Hashable {
    package let protection: ProtectionClass
    /// Without unknown bits; `or` only where there are several conditions, `and` wherever there are several and no
    /// `or`.
    package let flags: AccessControlFlags
    /// True if everything that is decided when the item is added has been decided: true from the start if there is
    /// nothing to decide.
    package let isBound: Bool
    /// The enrolment set that a bound `biometryCurrentSet` is for; nil for everything else.
    package let enrolmentSet: EnrolmentSet?

    /// - Parameter protection: a value of `kSecAttrAccessible`; nil if the caller's value is not text.
    package init(protection name: String?, flags: AccessControlFlags) throws(CreationRefusal) {
        guard let name, let protection = ProtectionClass(rawValue: name) else {
            throw .unknownProtection(found: name)
        }
        try self.init(protection: protection, flags: flags)
    }

    package init(protection: ProtectionClass, flags: AccessControlFlags = []) throws(CreationRefusal) {
        if let refusal = Self.refusal(of: flags) { throw refusal }
        self.init(protection: protection, simplest: Self.simplest(flags))
    }

    /// No conditions: an accessibility alone.
    package init(protection: ProtectionClass) {
        self.init(protection: protection, simplest: [])
    }

    private init(
        protection: ProtectionClass, simplest flags: AccessControlFlags, isBound: Bool? = nil,
        enrolmentSet: EnrolmentSet? = nil
    ) {
        self.protection = protection
        self.flags = flags
        self.isBound = isBound ?? flags.isDisjoint(with: [.conditions, .applicationPassword])
        self.enrolmentSet = enrolmentSet
    }

    /// The conditions alone.
    package var conditions: AccessControlFlags { flags.intersection(.conditions) }

    /// True if using the item asks for more than an unlocked device.
    package var isConstrained: Bool { !flags.isDisjoint(with: [.conditions, .applicationPassword]) }

    /// True if one fulfilled condition is enough.
    package var needsOnlyOneCondition: Bool { flags.contains(.or) }

    package var isForPrivateKeys: Bool { flags.contains(.privateKeyUsage) }
    package var needsApplicationPassword: Bool { flags.contains(.applicationPassword) }

    /// True if it can be bound only while fingers are enrolled.
    package var needsEnrolmentToAdd: Bool { !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) }

    /// The access control as an item keeps it. A bound one stays unchanged.
    /// - Parameter set: the fingers that are enrolled now.
    /// - Returns: nil if it is about biometry and nothing is enrolled.
    package func bound(to set: EnrolmentSet?) -> AccessControl? {
        if isBound { return self }
        if needsEnrolmentToAdd, set == nil { return nil }
        return AccessControl(
            protection: protection, simplest: flags, isBound: true,
            enrolmentSet: flags.contains(.biometryCurrentSet) ? set : nil)
    }

    /// The same access control, marked as bound or not. Nil where only an enrolment set could bind it.
    package func marked(asBound isBound: Bool) -> AccessControl? {
        if isBound, flags.contains(.biometryCurrentSet), enrolmentSet == nil { return nil }
        return AccessControl(
            protection: protection, simplest: flags, isBound: isBound, enrolmentSet: isBound ? enrolmentSet : nil)
    }

    /// As it was written: `set` exactly where a bound access control is for one.
    init?(_ made: AccessControl, isBound: Bool, enrolmentSet: EnrolmentSet?) {
        guard (enrolmentSet != nil) == (isBound && made.flags.contains(.biometryCurrentSet)) else { return nil }
        self.init(protection: made.protection, simplest: made.flags, isBound: isBound, enrolmentSet: enrolmentSet)
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
