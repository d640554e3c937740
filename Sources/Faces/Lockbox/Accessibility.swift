import Foundation
import Security

extension Lockbox {
    /// The states of the device in which a value can be read: the protection class, as `kSecAttrAccessible` names it.
    /// Values of a class with `ThisDeviceOnly` leave the device in no backup.
    public enum Accessibility: String, Sendable, CaseIterable {
        /// While the device is unlocked.
        case whenUnlocked
        /// From the first unlock after a start on: for what a program needs in the background.
        case afterFirstUnlock
        /// Always, also before the first unlock. The holder of the device has the value.
        case always
        case whenUnlockedThisDeviceOnly
        case afterFirstUnlockThisDeviceOnly
        case alwaysThisDeviceOnly
        /// While the device is unlocked, and gone for good when its passcode is removed. Without a passcode nothing can
        /// be set under it.
        case whenPasscodeSetThisDeviceOnly

        var constant: CFString {
            switch self {
            case .whenUnlocked: unsafe kSecAttrAccessibleWhenUnlocked
            case .afterFirstUnlock: unsafe kSecAttrAccessibleAfterFirstUnlock
            case .always: unsafe DeprecatedConstants.accessibleAlways
            case .whenUnlockedThisDeviceOnly: unsafe kSecAttrAccessibleWhenUnlockedThisDeviceOnly
            case .afterFirstUnlockThisDeviceOnly: unsafe kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            case .alwaysThisDeviceOnly: unsafe DeprecatedConstants.accessibleAlwaysThisDeviceOnly
            case .whenPasscodeSetThisDeviceOnly: unsafe kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
            }
        }

        var isThisDeviceOnly: Bool {
            switch self {
            case .whenUnlocked, .afterFirstUnlock, .always: false
            case .whenUnlockedThisDeviceOnly, .afterFirstUnlockThisDeviceOnly, .alwaysThisDeviceOnly,
                .whenPasscodeSetThisDeviceOnly:
                true
            }
        }
    }
}
