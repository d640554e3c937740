import LatchkeyAccessControl
import LatchkeyItemModel

/// The protection of a new or changed item: protection class and access control belong together.
struct ItemProtection: Sendable {
    let accessible: String
    let accessControl: [UInt8]

    /// That of the rows of enclave keys: what keys ask for stands in themselves (Reference 11).
    static let always = ItemProtection(
        accessible: Protection.always.rawValue, serialised: AccessControl(protection: .always).serialised)

    /// As a query says it for a new item.
    init(of query: ItemQuery, in accessGroup: String) throws {
        try self.init(
            accessible: query.accessible, accessControl: query.accessControl, itemClass: query.itemClass,
            accessGroup: accessGroup, isSynchronizable: query.synchronizable == .synchronizable)
    }

    /// From `pdmn` and `accc` of a dictionary; both nil: the default of the class.
    init(
        accessible: String?, accessControl bytes: [UInt8]?, itemClass: ItemClass, accessGroup: String,
        isSynchronizable: Bool
    ) throws {
        if let bytes {
            self = try Self.explicit(bytes, accessible: accessible, isSynchronizable: isSynchronizable)
        } else {
            let name = accessible ?? Self.usual(for: itemClass, in: accessGroup)
            self.accessible = name
            accessControl = try Self.plain(name)
        }
    }

    /// The protection class of an item that names none (Reference 5.1).
    private static func usual(for itemClass: ItemClass, in accessGroup: String) -> String {
        if accessGroup == "com.apple.apsd" { return "dku" }
        return itemClass == .certificate ? "dk" : "ak"
    }

    /// Whether using an item with these serialised rules asks for more than an unlocked device.
    static func hasConditions(_ accessControl: [UInt8]) -> Bool {
        guard !free.contains(accessControl) else { return false }
        return (try? AccessControl(serialised: accessControl))?.isConstrained ?? true
    }

    static func needsApplicationPassword(_ accessControl: [UInt8]) -> Bool {
        guard !free.contains(accessControl) else { return false }
        return (try? AccessControl(serialised: accessControl))?.needsApplicationPassword ?? false
    }

    /// The rules without conditions, which most items have.
    private static let free = Set(Protection.allCases.map { AccessControl(protection: $0).serialised })

    init(accessible: String, serialised: [UInt8]) {
        self.accessible = accessible
        accessControl = serialised
    }

    /// The access control of a dictionary; it may stand beside `pdmn` only where both say the same.
    @discardableResult
    static func accessControl(_ bytes: [UInt8], beside accessible: String?) throws -> AccessControl {
        guard let parsed = try? AccessControl(serialised: bytes), parsed.protection != .untilReboot else {
            throw CallFailure(
                .param, "bad-access-control", "The access control cannot be used for an item.",
                advice: "Make it with SecAccessControlCreateWithFlags.")
        }
        if let accessible, accessible != parsed.protection.rawValue {
            throw CallFailure(
                .param, "accessibility-contradicts-access-control",
                "kSecAttrAccessible is \(accessible), but the access control has \(parsed.protection.rawValue).",
                advice: "Give only one of the two.")
        }
        return parsed
    }

    /// A write names its protection once: with both keys it is refused even if they agree, as on a device
    /// (Reference 6.1). A search accepts a pair that agrees, because its own results hold both.
    static func checkOneOfTwo(_ accessible: String?, _ accessControl: [UInt8]?) throws {
        guard accessible != nil, accessControl != nil else { return }
        throw CallFailure(
            .param, "accessibility-beside-access-control",
            "kSecAttrAccessible and kSecAttrAccessControl are both given for an item that is written.",
            advice: "Leave kSecAttrAccessible out: SecAccessControlCreateWithFlags takes the protection class.")
    }

    private static func explicit(
        _ bytes: [UInt8], accessible: String?, isSynchronizable: Bool
    ) throws -> ItemProtection {
        let parsed = try accessControl(bytes, beside: accessible)
        if parsed.isConstrained, isSynchronizable {
            throw CallFailure(
                .param, "synchronizable-with-conditions",
                "A synchronizable item cannot ask for a person on one device.",
                advice: "Leave the flags of the access control or kSecAttrSynchronizable out.")
        }
        if parsed.isForPrivateKeys {
            throw CallFailure(
                .param, "private-key-usage-on-password",
                "privateKeyUsage on anything but a key of the enclave would make an item that cannot be read.",
                advice: "Leave privateKeyUsage out, or make the key in the enclave.")
        }
        return ItemProtection(accessible: parsed.protection.rawValue, serialised: parsed.serialised)
    }

    private static func plain(_ name: String) throws -> [UInt8] {
        guard let protection = Protection(rawValue: name) else {
            throw CallFailure(
                QueryRefusal(
                    .param, "value-kind", "Unknown protection class.", advice: "Use a kSecAttrAccessible constant."))
        }
        return AccessControl(protection: protection).serialised
    }
}
