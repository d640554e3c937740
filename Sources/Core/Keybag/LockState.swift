/// The lock state of a device (Reference 7.1).
package enum LockState: String, Sendable, CaseIterable {
    /// No passcode is set: every class that exists without one is open.
    case noPasscode
    /// A passcode is set and has not been given since the device started.
    case beforeFirstUnlock
    case unlocked
    /// Locked after having been unlocked since the device started.
    case locked

    /// Returns true if the key of `keyClass` may be used in this state.
    package func allows(_ keyClass: KeyClass) -> Bool {
        switch (self, keyClass.availability) {
        case (_, .always), (.unlocked, _): true
        case (.noPasscode, _): keyClass != .whenPasscodeSetThisDeviceOnly
        case (.locked, .fromFirstUnlock): true
        case (.locked, .onlyWhileUnlocked), (.beforeFirstUnlock, _): false
        }
    }
}
