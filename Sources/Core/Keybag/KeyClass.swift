/// The protection classes that have a key in a keybag. Raw values are the class numbers of the keybag format and of
/// Apple's item blobs (files 1 to 4, keychain 6 to 12).
package enum KeyClass: UInt8, Sendable, CaseIterable, Hashable {
    case fileComplete = 1
    case fileCompleteUnlessOpen = 2
    case fileUntilFirstUserAuthentication = 3
    case fileNone = 4
    case whenUnlocked = 6
    case afterFirstUnlock = 7
    case always = 8
    case whenUnlockedThisDeviceOnly = 9
    case afterFirstUnlockThisDeviceOnly = 10
    case alwaysThisDeviceOnly = 11
    case whenPasscodeSetThisDeviceOnly = 12

    /// When the class key can be used.
    package enum Availability: Sendable {
        case onlyWhileUnlocked
        case fromFirstUnlock
        case always
    }

    package var availability: Availability {
        switch self {
        case .fileComplete, .fileCompleteUnlessOpen, .whenUnlocked, .whenUnlockedThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            .onlyWhileUnlocked
        case .fileUntilFirstUserAuthentication, .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly:
            .fromFirstUnlock
        case .fileNone, .always, .alwaysThisDeviceOnly:
            .always
        }
    }

    /// True if the class key is also bound to this device, so that a copy elsewhere is worthless.
    package var isThisDeviceOnly: Bool {
        switch self {
        case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            true
        default:
            false
        }
    }

    /// The value of `kSecAttrAccessible` (`pdmn`), nil for file classes.
    package var accessibleName: String? {
        switch self {
        case .whenUnlocked: "ak"
        case .afterFirstUnlock: "ck"
        case .always: "dk"
        case .whenUnlockedThisDeviceOnly: "aku"
        case .afterFirstUnlockThisDeviceOnly: "cku"
        case .alwaysThisDeviceOnly: "dku"
        case .whenPasscodeSetThisDeviceOnly: "akpu"
        default: nil
        }
    }

    package init?(accessibleName: String) {
        guard let match = Self.allCases.first(where: { $0.accessibleName == accessibleName }) else { return nil }
        self = match
    }

    package static let keychainClasses = allCases.filter { $0.accessibleName != nil }
}
