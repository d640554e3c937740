import Foundation
public import Security

extension Lockbox {
    /// The states of the device in which a value can be read, and the user's proof for it.
    public struct Protection: Sendable, Equatable {
        public let accessibility: Accessibility
        /// The user's proof at each use, as for `SecAccessControlCreateWithFlags`; nil: none.
        public let accessControl: SecAccessControlCreateFlags?

        public init(_ accessibility: Accessibility, accessControl: SecAccessControlCreateFlags? = nil) {
            self.accessibility = accessibility
            self.accessControl = accessControl
        }

        /// The same states, and authentication besides, in place of any that was required before: for instance
        /// `.biometryCurrentSet`, or `[.biometryAny, .or, .devicePasscode]`. It is required as well when another value
        /// takes the place of this one.
        public func requiring(_ flags: SecAccessControlCreateFlags) -> Protection {
            Protection(accessibility, accessControl: flags)
        }

        public static let whenUnlocked = Protection(.whenUnlocked)
        public static let afterFirstUnlock = Protection(.afterFirstUnlock)
        public static let always = Protection(.always)
        public static let whenUnlockedThisDeviceOnly = Protection(.whenUnlockedThisDeviceOnly)
        public static let afterFirstUnlockThisDeviceOnly = Protection(.afterFirstUnlockThisDeviceOnly)
        public static let alwaysThisDeviceOnly = Protection(.alwaysThisDeviceOnly)
        public static let whenPasscodeSetThisDeviceOnly = Protection(.whenPasscodeSetThisDeviceOnly)
    }
}

extension Lockbox.Protection {
    /// The protection as attributes of an item.
    func attributes(isSynchronizable: Bool) throws(LockboxError) -> [String: Any] {
        if isSynchronizable, accessibility.isThisDeviceOnly {
            throw .contradiction(
                reason: "A value that is for all devices cannot be \(accessibility), which is for this one alone.")
        }
        guard let accessControl else { return [ItemName.accessible: accessibility.constant] }
        guard !isSynchronizable else {
            throw .contradiction(reason: "A value that is for all devices cannot require authentication at this one.")
        }
        guard !accessControl.contains(.privateKeyUsage) else {
            throw .contradiction(reason: "privateKeyUsage is for keys, and a value under it could not be read.")
        }
        var error: Unmanaged<CFError>?
        let control = unsafe SecAccessControlCreateWithFlags(nil, accessibility.constant, accessControl, &error)
        let refusal = unsafe error?.takeRetainedValue()
        guard let control else {
            throw .contradiction(reason: refusal?.localizedFailureReason ?? "The flags contradict each other.")
        }
        return [ItemName.accessControl: control]
    }
}
