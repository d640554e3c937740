/// The proof that a policy requires.
public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// Biometry, or the passcode if biometry is missing or fails.
    case deviceOwnerAuthentication = 2
    /// Never fulfilled: Latchkey has no companions.
    case deviceOwnerAuthenticationWithCompanion = 3
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
    /// Never fulfilled by Latchkey.
    case deviceOwnerAuthenticationWithWristDetection = 5

    @available(*, deprecated, renamed: "deviceOwnerAuthenticationWithCompanion")
    public static let deviceOwnerAuthenticationWithWatch = Self.deviceOwnerAuthenticationWithCompanion
    @available(*, deprecated, renamed: "deviceOwnerAuthenticationWithBiometricsOrCompanion")
    public static let deviceOwnerAuthenticationWithBiometricsOrWatch =
        Self.deviceOwnerAuthenticationWithBiometricsOrCompanion
}

/// The kind of biometry that a device has.
public enum LABiometryType: Int, Sendable {
    case none = 0
    /// A fingerprint reader: the only kind that Latchkey supports.
    case touchID = 1
    case faceID = 2
    case opticID = 4
}

/// A credential that a program may give in place of a person.
public enum LACredentialType: Int, Sendable {
    case applicationPassword = 0
    /// The passcode of the device, for programs whose entitlements allow it (`org.latchkey.authentication.passcode`).
    /// Apple's SDK has no name for this number: write `LACredentialType(rawValue: -1)`.
    case passcode = -1
    /// Never accepted by Latchkey.
    case smartCardPIN = -3
}

/// The operation on something that an access control protects.
public enum LAAccessControlOperation: Int, Sendable {
    case createItem = 0
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}
