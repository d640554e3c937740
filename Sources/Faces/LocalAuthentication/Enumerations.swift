/// What a person is asked for.
public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// Biometry, or the passcode where there is none or it fails.
    case deviceOwnerAuthentication = 2
    /// Never fulfilled here: there are no companions.
    case deviceOwnerAuthenticationWithCompanion = 3
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
    /// Never fulfilled here.
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
    /// A fingerprint reader: the one kind that there is here.
    case touchID = 1
    case faceID = 2
    case opticID = 4
}

/// A credential that a program may give in place of a person.
public enum LACredentialType: Int, Sendable {
    case applicationPassword = 0
    /// The passcode of the device, for programs whose entitlements allow it (`org.latchkey.authentication.passcode`).
    /// Apple's SDK has the number, and no name for it: write `LACredentialType(rawValue: -1)`.
    case passcode = -1
    /// Never taken here.
    case smartCardPIN = -3
}

/// What is to be done with something that an access control guards.
public enum LAAccessControlOperation: Int, Sendable {
    case createItem = 0
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}
