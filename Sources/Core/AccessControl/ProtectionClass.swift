/// The protection class of an item: in which states of the device it can be used. The raw value is that of
/// `kSecAttrAccessible` (`pdmn`).
package enum ProtectionClass: String, Sendable, Hashable, CaseIterable {
    case whenUnlocked = "ak"
    case afterFirstUnlock = "ck"
    case always = "dk"
    case whenUnlockedThisDeviceOnly = "aku"
    case afterFirstUnlockThisDeviceOnly = "cku"
    case alwaysThisDeviceOnly = "dku"
    case whenPasscodeSetThisDeviceOnly = "akpu"
    /// An access control can name it; it has no key, so no item can have it.
    case untilReboot = "f"

    /// The classes that items can have.
    package static let ofItems = allCases.filter { $0 != .untilReboot }

    /// True if items leave the device in no backup and no sync.
    package var isThisDeviceOnly: Bool {
        switch self {
        case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
            .whenPasscodeSetThisDeviceOnly:
            true
        case .whenUnlocked, .afterFirstUnlock, .always, .untilReboot: false
        }
    }

    /// True if no lock ever protects the item.
    package var isAlwaysReadable: Bool { self == .always || self == .alwaysThisDeviceOnly }
}
