/// The flags of an access control: the conditions for using an item, how they combine, and for what. Bit positions are
/// those of `SecAccessControlCreateFlags`.
package struct AccessControlFlags: OptionSet, Sendable, Hashable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Biometry or passcode, whatever is there.
    package static let userPresence = Self(rawValue: 1 << 0)
    /// Biometry of any enrolled finger.
    package static let biometryAny = Self(rawValue: 1 << 1)
    /// Biometry of the fingers that were enrolled when the item was added.
    package static let biometryCurrentSet = Self(rawValue: 1 << 3)
    package static let devicePasscode = Self(rawValue: 1 << 4)
    /// A paired device nearby.
    package static let companion = Self(rawValue: 1 << 5)
    /// One fulfilled condition is enough.
    package static let or = Self(rawValue: 1 << 14)
    /// Every condition must be fulfilled.
    package static let and = Self(rawValue: 1 << 15)
    /// For private keys: the conditions guard signing and key agreement.
    package static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own is mixed into the key.
    package static let applicationPassword = Self(rawValue: 1 << 31)

    /// The flags that name a condition.
    package static let conditions: Self = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
    ]
    /// Every flag with a meaning.
    package static let known: Self = [.conditions, .or, .and, .privateKeyUsage, .applicationPassword]

    /// The number of conditions that are named.
    package var conditionCount: Int { intersection(.conditions).rawValue.nonzeroBitCount }
}
