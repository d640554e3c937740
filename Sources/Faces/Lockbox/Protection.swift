import Foundation
public import Security

/// When a value can be read.
public enum Protection: Sendable, Equatable {
    case protection(ProtectionClass)
    /// Besides, somebody has to prove something each time: for instance `.biometryCurrentSet`, or
    /// `[.biometryAny, .or, .devicePasscode]`. Such a value is asked for as well when another one takes its place.
    case accessControl(ProtectionClass, SecAccessControlCreateFlags)

    /// As attributes of an item.
    func attributes(synchronizable: Bool) throws(LockboxError) -> [String: Any] {
        if synchronizable, protectionClass.isThisDeviceOnly {
            throw .contradiction(
                reason: "A value that is for all devices cannot be \(protectionClass), which is for this one alone.")
        }
        switch self {
        case .protection(let protection):
            return [ItemName.accessible: protection.constant]
        case .accessControl(let protection, let flags):
            guard !synchronizable else {
                throw .contradiction(reason: "A value that is for all devices cannot ask for somebody at this one.")
            }
            guard !flags.contains(.privateKeyUsage) else {
                throw .contradiction(reason: "privateKeyUsage is for keys, and a value under it could not be read.")
            }
            var error: Unmanaged<CFError>?
            let control = unsafe SecAccessControlCreateWithFlags(nil, protection.constant, flags, &error)
            let refusal = unsafe error?.takeRetainedValue()
            guard let control else {
                throw .contradiction(reason: refusal?.localizedFailureReason ?? "The flags contradict each other.")
            }
            return [ItemName.accessControl: control]
        }
    }

    private var protectionClass: ProtectionClass {
        switch self {
        case .protection(let protection), .accessControl(let protection, _): protection
        }
    }
}

/// In which states of the device a value can be read. Values of a class with `ThisDeviceOnly` leave the device in no
/// backup.
public enum ProtectionClass: String, Sendable, CaseIterable {
    /// While the device is unlocked.
    case whenUnlocked
    /// From the first unlock after a start on: for what a program needs in the background.
    case afterFirstUnlock
    /// Always, also before the first unlock. Whoever has the device has the value.
    case always
    case whenUnlockedThisDeviceOnly
    case afterFirstUnlockThisDeviceOnly
    case alwaysThisDeviceOnly
    /// While the device is unlocked, and gone for good when its passcode is removed. Without a passcode nothing can be
    /// set under it.
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
