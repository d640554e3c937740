/// Why an item ended on purpose. This is not damage: a decision of the owner destroyed its key.
package enum EndReason: String, Sendable, Hashable, CaseIterable {
    /// The key of `kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly` goes with the passcode.
    case passcodeRemoved = "passcode-removed"
    /// The item was bound to the set of fingers enrolled before (`kSecAccessControlBiometryCurrentSet`).
    case fingersChanged = "fingers-changed"
    /// The enclave's key behind the item was deleted through another item or by a call that was cut off.
    case keyDeleted = "key-deleted"
}

/// When and why an item ended.
package struct Ending: Sendable, Hashable {
    package let reason: EndReason
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package let date: Double
    /// True if the date is when the end was noticed, not when it happened.
    package let isNoticedLater: Bool

    package init(_ reason: EndReason, at date: Double, isNoticedLater: Bool = false) {
        self.reason = reason
        self.date = date
        self.isNoticedLater = isNoticedLater
    }
}
