/// The availability of items that a lock protects.
package enum ProtectedDataState: Int64, Sendable, Hashable, CaseIterable {
    /// The device is unlocked, or has no passcode.
    case available = 1
    /// The device was locked. The keys are removed at the end of the grace period.
    case becomingUnavailable = 2
    case unavailable = 3
    /// The device was not unlocked since it started. Classes that the first unlock opens are unavailable, too.
    case beforeFirstUnlock = 4
}

/// A watch on one device. To be used by one thread at a time; any thread may call ``end()``.
package protocol ProtectedDataWatch: Sendable {
    /// Returns the present state at first, then the next one each time. Blocks. Returns nil if the device is gone or
    /// ``end()`` was called.
    func next() -> ProtectedDataState?
    func end()
}

extension Keychain {
    /// Returns a watch without events, for a keychain without a device.
    package func watchProtectedData() -> any ProtectedDataWatch { EndedWatch() }
}

/// A watch without events.
package struct EndedWatch: ProtectedDataWatch {
    package init() {}

    package func next() -> ProtectedDataState? { nil }

    package func end() {}
}
