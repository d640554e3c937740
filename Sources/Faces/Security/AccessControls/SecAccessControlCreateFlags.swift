/// The conditions of an access control, how they combine, and for what they count.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) {
        self.rawValue = rawValue
    }

    /// Biometry or passcode.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// Biometry of any enrolled finger.
    public static let biometryAny = Self(rawValue: 1 << 1)
    @available(*, deprecated, renamed: "biometryAny")
    public static let touchIDAny = Self(rawValue: 1 << 1)
    /// Biometry of the fingers that are enrolled when the item is added.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    @available(*, deprecated, renamed: "biometryCurrentSet")
    public static let touchIDCurrentSet = Self(rawValue: 1 << 3)
    /// The passcode of the device.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// A paired device nearby.
    public static let companion = Self(rawValue: 1 << 5)
    @available(*, deprecated, renamed: "companion")
    public static let watch = Self(rawValue: 1 << 5)
    /// One fulfilled condition is enough.
    public static let or = Self(rawValue: 1 << 14)
    /// Every condition must be fulfilled, as it is without `or`.
    public static let and = Self(rawValue: 1 << 15)
    /// The conditions guard the use of a private key.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own is needed.
    public static let applicationPassword = Self(rawValue: 1 << 31)
}
