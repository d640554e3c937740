/// The lock state of a device, as far as it decides which zone keys are at hand.
package enum SyncLockState: UInt8, Hashable, Sendable, CaseIterable {
    /// A device without a passcode cannot be a member: its sync is paused.
    case noPasscode
    case beforeFirstUnlock
    case locked
    case unlocked

    /// Returns true if segments of the zone can be opened and sealed.
    package func opens(_ zone: ZoneClass) -> Bool {
        switch (self, zone) {
        case (.unlocked, _), (.locked, .c): true
        case (.locked, .a), (.beforeFirstUnlock, _), (.noPasscode, _): false
        }
    }

    /// Returns true if heads and statements are read.
    package var reads: Bool { self != .noPasscode }
}
