import LatchkeyAccessControl
package import LatchkeyItemModel

/// The reason why an item is not shared with other devices.
package enum SharingObstacle: String, Sendable, Hashable, CaseIterable {
    case notSynchronizable
    /// The secret is a key of this device's enclave.
    case token
    /// The item never leaves its device.
    case protectionClass
    case conditions
    /// The group is derived from the path of a program on this device.
    case group
    case tooLarge
}

/// The zone of an item: the key that its records are sealed under.
enum SharingZone: UInt8, Sendable {
    /// Opened while the device is unlocked.
    case a = 1
    /// Opened from the first unlock on.
    case c = 2

    /// Nil for a protection class whose items never leave their device.
    init?(_ protection: ProtectionClass) {
        switch protection {
        case .whenUnlocked: self = .a
        case .afterFirstUnlock, .always: self = .c
        default: return nil
        }
    }
}

/// The rules by which an item is shared (`Docs/Design/028-shared-rows.md`).
package enum SharingRules {
    /// The maximum size of a record.
    static let recordByteLimit = 1 << 20
    /// The part of a record that is not content: name, versions, dates and lengths.
    static let recordByteOverhead = 512

    /// Returns the obstacle that does not depend on the circle; nil if there is none.
    package static func obstacle(to item: StoredItem) -> SharingObstacle? {
        if !item.isSynchronizable { return .notSynchronizable }
        if item.attributes[.tokenID] != nil { return .token }
        if SharingZone(item.accessible) == nil { return .protectionClass }
        if item.accessControl.isConstrained || item.accessControl.isForPrivateKeys { return .conditions }
        return nil
    }

    /// Returns true for groups that mean the same on every device: those of a team, and application groups.
    /// - Parameter allowed: other groups that the circle shares.
    package static func shares(group: String, allowed: Set<String>) -> Bool {
        SharedGroups.include(group, allowed: allowed)
    }
}
