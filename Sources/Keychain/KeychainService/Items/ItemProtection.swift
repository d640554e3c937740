import LatchkeyAccessControl
import LatchkeyItemModel

/// The access control of a new or changed item. It says the protection class, too.
enum ItemProtection {
    /// That of the rows of enclave keys: what keys ask for stands in themselves (Reference 11).
    static let always = AccessControl(protection: .always)

    /// As a query says it for a new item.
    static func accessControl(of query: ItemQuery, in accessGroup: String) throws(Setback) -> AccessControl {
        try accessControl(
            accessible: query.accessible, accessControl: query.accessControl, itemClass: query.itemClass,
            accessGroup: accessGroup, isSynchronizable: query.synchronizable == .synchronizable)
    }

    /// From `pdmn` and `accc` of a dictionary; both nil: the default of the class.
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

    /// The protection class of an item that names none (Reference 5.1).
    private static func usual(for itemClass: ItemClass, in accessGroup: String) -> ProtectionClass {
        if accessGroup == "com.apple.apsd" { return .alwaysThisDeviceOnly }
        return itemClass == .certificate ? .always : .whenUnlocked
    }

    /// The access control of a dictionary; it may stand beside `pdmn` only where both say the same.
    static func check(
        _ accessControl: AccessControl, beside accessible: ProtectionClass?
    ) throws(Setback) {
        guard accessControl.protection != .untilReboot else { throw .call(CallFailure(.badAccessControl)) }
        if let accessible, accessible != accessControl.protection {
            throw .call(
                .param, .accessibilityContradictsAccessControl,
                "kSecAttrAccessible is \(accessible.rawValue), but the access control has "
                    + "\(accessControl.protection.rawValue).",
                advice: "Give only one of the two.")
        }
    }

    /// A write names its protection once: with both keys it is refused even if they agree, as on a device
    /// (Reference 6.1). A search accepts a pair that agrees, because its own results hold both.
    static func checkOneOfTwo(_ accessible: ProtectionClass?, _ accessControl: AccessControl?) throws(Setback) {
        guard accessible != nil, accessControl != nil else { return }
        throw .call(
            .param, .accessibilityBesideAccessControl,
            "kSecAttrAccessible and kSecAttrAccessControl are both given for an item that is written.",
            advice: "Leave kSecAttrAccessible out: SecAccessControlCreateWithFlags takes the protection class.")
    }

    private static func checkConditions(
        _ accessControl: AccessControl, isSynchronizable: Bool
    ) throws(Setback) {
        if accessControl.isConstrained, isSynchronizable {
            throw .call(
                .param, .synchronizableWithConditions,
                "A synchronizable item cannot ask for a person on one device.",
                advice: "Leave the flags of the access control or kSecAttrSynchronizable out.")
        }
        if accessControl.isForPrivateKeys {
            throw .call(
                .param, .privateKeyUsageOnPassword,
                "privateKeyUsage on anything but a key of the enclave would make an item that cannot be read.",
                advice: "Leave privateKeyUsage out, or make the key in the enclave.")
        }
    }
}
