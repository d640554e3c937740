/// The reason why a protection and flags do not make an access control.
package enum CreationRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// `found` is nil if the protection was not text.
    case unknownProtection(found: String?)
    case bothOrAndAnd
    case bothKindsOfBiometry
    /// `others` are the bits that do not go with user presence, unknown ones included.
    case userPresenceWithOthers(others: AccessControlFlags)

    package var description: String {
        switch self {
        case .unknownProtection(found: nil):
            "the protection is not text; pass one of the kSecAttrAccessible constants"
        case .unknownProtection(let found?):
            "the protection \"\(found)\" is unknown; pass one of the kSecAttrAccessible constants"
        case .bothOrAndAnd:
            "the flags or and and exclude each other; pass one of them"
        case .bothKindsOfBiometry:
            "the flags biometryAny and biometryCurrentSet exclude each other; pass one of them"
        case .userPresenceWithOthers(let others):
            "the flag userPresence goes only with applicationPassword and privateKeyUsage; "
                + "take the bits 0x\(String(others.rawValue, radix: 16)) out"
        }
    }
}
