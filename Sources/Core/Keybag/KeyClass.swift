package import LatchkeyAccessControl

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

    /// The lock states in which the class key can be used.
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
    package var isThisDeviceOnly: Bool { protectionClass?.isThisDeviceOnly ?? false }

    /// The protection class of the items that the key is for; nil for file classes.
    package var protectionClass: ProtectionClass? {
        switch self {
        case .whenUnlocked: .whenUnlocked
        case .afterFirstUnlock: .afterFirstUnlock
        case .always: .always
        case .whenUnlockedThisDeviceOnly: .whenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: .afterFirstUnlockThisDeviceOnly
        case .alwaysThisDeviceOnly: .alwaysThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: .whenPasscodeSetThisDeviceOnly
        case .fileComplete, .fileCompleteUnlessOpen, .fileUntilFirstUserAuthentication, .fileNone: nil
        }
    }

    /// The protection of the files that the key is for; nil for keychain classes.
    package var fileProtection: FileProtection? {
        switch self {
        case .fileComplete: .complete
        case .fileCompleteUnlessOpen: .completeUnlessOpen
        case .fileUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
        case .fileNone: FileProtection.none
        case .whenUnlocked, .afterFirstUnlock, .always, .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly,
            .alwaysThisDeviceOnly, .whenPasscodeSetThisDeviceOnly:
            nil
        }
    }

    /// Nil for ``ProtectionClass/untilReboot``, which has no key in a keybag.
    package init?(_ protectionClass: ProtectionClass) {
        guard let keyClass = Self.byProtectionClass[protectionClass] else { return nil }
        self = keyClass
    }

    private static let byProtectionClass = Dictionary(
        uniqueKeysWithValues: allCases.compactMap { keyClass in keyClass.protectionClass.map { ($0, keyClass) } })

    package static let keychainClasses = allCases.filter { $0.protectionClass != nil }
}
