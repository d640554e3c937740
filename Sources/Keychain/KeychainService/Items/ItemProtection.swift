import LatchkeyAccessControl
import LatchkeyItemModel

/// The access control of a new or changed item. It includes the protection class.
enum ItemProtection {
    /// The access control of the rows of enclave keys: the keys themselves contain their conditions (Reference 11).
    static let always = AccessControl(protection: .always)

    /// Returns the access control of a new item from its query.
    static func accessControl(of query: ItemQuery, in accessGroup: String) throws(Setback) -> AccessControl {
        try accessControl(
            accessible: query.accessible, accessControl: query.accessControl, itemClass: query.itemClass,
            accessGroup: accessGroup, isSynchronizable: query.synchronizable == .synchronizable)
    }

    /// Returns the access control from `pdmn` and `accc` of a dictionary; the default of the class if both are nil.
    static func accessControl(
        accessible: ProtectionClass?, accessControl: AccessControl?, itemClass: ItemClass, accessGroup: String,
        isSynchronizable: Bool
    ) throws(Setback) -> AccessControl {
        guard let accessControl else {
            return AccessControl(protection: accessible ?? usual(for: itemClass, in: accessGroup))
        }
        try check(accessControl, beside: accessible)
        try checkConditions(accessControl, isSynchronizable: isSynchronizable)
        return accessControl
    }

    /// Returns the protection class of an item that does not name one (Reference 5.1).
    private static func usual(for itemClass: ItemClass, in accessGroup: String) -> ProtectionClass {
        if accessGroup == "com.apple.apsd" { return .alwaysThisDeviceOnly }
        return itemClass == .certificate ? .always : .whenUnlocked
    }

    /// Checks the access control of a dictionary. If `pdmn` is present, too, both must name the same protection class.
    static func check(
        _ accessControl: AccessControl, beside accessible: ProtectionClass?
    ) throws(Setback) {
        guard accessControl.protection != .untilReboot else { throw .call(CallFailure(.badAccessControl)) }
        if let accessible, accessible != accessControl.protection {
            throw .call(
                .param, .accessibilityContradictsAccessControl, accessible.rawValue, accessControl.protection.rawValue)
        }
    }

    /// Checks that a write names its protection once: with both keys it is refused even if they agree, as on a device
    /// (Reference 6.1). A search accepts both keys if they agree, because its own results contain both.
    static func checkOneOfTwo(_ accessible: ProtectionClass?, _ accessControl: AccessControl?) throws(Setback) {
        guard accessible != nil, accessControl != nil else { return }
        throw .call(.param, .accessibilityBesideAccessControl)
    }

    private static func checkConditions(
        _ accessControl: AccessControl, isSynchronizable: Bool
    ) throws(Setback) {
        if accessControl.isConstrained, isSynchronizable {
            throw .call(.param, .synchronizableWithConditions)
        }
        if accessControl.isForPrivateKeys {
            throw .call(.param, .privateKeyUsageOnPassword)
        }
    }
}
