package import LatchkeyEncoding

/// The reason why an item was ended on purpose. The item is not damaged: a decision of the owner destroyed its key.
package enum EndReason: String, Sendable, Hashable, CaseIterable {
    /// The passcode was removed, and with it the key of `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly`.
    case passcodeRemoved = "passcode-removed"
    /// The enrolled fingers changed; the item was bound to the former set (`kSecAccessControlBiometryCurrentSet`).
    case fingersChanged = "fingers-changed"
    /// The item's enclave key was deleted, through another item or by an interrupted call.
    case keyDeleted = "key-deleted"
}

/// The time and reason of an item's end.
package struct Ending: Sendable, Hashable {
    package let reason: EndReason
    package let date: WallTime
    /// True if `date` is when the end was noticed, not when it happened.
    package let isNoticedLater: Bool

    package init(_ reason: EndReason, at date: WallTime, isNoticedLater: Bool = false) {
        self.reason = reason
        self.date = date
        self.isNoticedLater = isNoticedLater
    }
}
