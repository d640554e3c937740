/// Whether items that a lock protects can be read now.
package enum ProtectedDataState: Int64, Sendable, Hashable, CaseIterable {
    /// The device is unlocked, or has no passcode.
    case available = 1
    /// The device was locked: the keys go at the end of the grace period.
    case becomingUnavailable = 2
    case unavailable = 3
    /// The device has not been unlocked since it started: classes that open with the first unlock are closed, too.
    case beforeFirstUnlock = 4
}

/// A state and its place in the course of events of one daemon.
package struct ProtectedDataEvent: Sendable, Hashable {
    /// Larger than that of every event before it.
    package let number: Int64
    package let state: ProtectedDataState

    package init(number: Int64, state: ProtectedDataState) {
        self.number = number
        self.state = state
    }
}

/// Asks for the first event after one, or for the present state. It is answered when there is one, however late: one
/// question for each event, and nothing is asked in between.
package struct EventRequest: Sendable, Hashable {
    /// Nil: the present state, at once.
    package let after: Int64?

    package init(after: Int64?) {
        self.after = after
    }
}

package enum EventReply: Sendable, Hashable {
    case event(ProtectedDataEvent)
    /// The device ends, or has as many watches as it keeps: nothing more comes over this connection.
    case ended
}

/// Follows one device. For one thread at a time; ``end()`` may come from any.
package protocol ProtectedDataWatch: Sendable {
    /// The present state at first, then the next one each time. Blocks. Nil when the device is gone or ``end()`` was
    /// called.
    func next() -> ProtectedDataState?
    func end()
}

extension Keychain {
    /// A keychain without a device has nothing to tell.
    package func watchProtectedData() -> any ProtectedDataWatch { EndedWatch() }
}

/// Follows nothing.
package struct EndedWatch: ProtectedDataWatch {
    package init() {}

    package func next() -> ProtectedDataState? { nil }

    package func end() {}
}
