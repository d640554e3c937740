package import LatchkeyKeychainMessages
package import LatchkeyThreading

/// The watchers of a device's locks and unlocks. They wait here for events and do not have to poll.
package final class ProtectedDataDesk: @unchecked Sendable {
    // Sendable because the mutable state is only accessed under the condition's lock.

    /// The maximum number of simultaneous watches: of all processes, and of one.
    package static let watchLimit = 64
    package static let watchLimitOfProcess = 8
    /// The number of events that are kept for watchers that are slower than the device.
    private static let keptCount = 16

    private let condition = WaitCondition()
    private let looking = ForkMutex(())
    private var events: [ProtectedDataEvent] = []
    private var lastNumber: Int64 = 0
    private var slots = WatchSlots(limit: watchLimit, limitOfProcess: watchLimitOfProcess)
    private var isFollowed = false
    private var isClosed = false

    /// Handles an event that may have locked or unlocked the device.
    /// - Parameter state: reads the current state; called only after the first watch.
    func lockStateMayHaveChanged(_ state: () -> ProtectedDataState) {
        guard condition.withLock({ isFollowed && !isClosed }) else { return }
        look(state)
    }

    /// Makes a cancellation end the waits to which it is passed. To be called once for each cancellation.
    package func heed(_ cancellation: Cancellation) {
        condition.wakeAll(when: cancellation)
    }

    /// Returns the first event after `number`, as soon as there is one; nil if there will be none. Blocks until then, or
    /// until the cancellation is over, which must have been passed to ``heed(_:)``.
    /// - Parameters:
    ///   - processID: the process of the program that asks; 0 if it has none.
    ///   - present: returns the current state, for the very first request.
    package func next(
        after number: Int64?, processID: Int32, until cancellation: Cancellation,
        present: () -> ProtectedDataState
    ) -> ProtectedDataEvent? {
        condition.withLock { isFollowed = true }
        // The service reports later changes to this desk.
        look(present)
        return condition.withLock {
            guard !isClosed else { return nil }
            guard let number else { return events.last }
            guard slots.take(processID) else { return nil }
            condition.wakeAll()
            defer { slots.giveBack(processID) }
            while !isClosed, !cancellation.isOver {
                if let event = events.first(where: { $0.number > number }) { return event }
                condition.wait(until: cancellation)
            }
            return nil
        }
    }

    /// Ends every wait.
    func close() {
        condition.withLock {
            isClosed = true
            condition.wakeAll()
        }
    }

    /// Notes the current state, one thread at a time: an older state must not be noted after a newer one.
    private func look(_ state: () -> ProtectedDataState) {
        looking.withLock { _ in
            let now = state()
            condition.withLock { note(now) }
        }
    }

    /// To be called under the lock.
    private func note(_ state: ProtectedDataState) {
        guard events.last?.state != state else { return }
        lastNumber += 1
        events.append(ProtectedDataEvent(number: lastNumber, state: state))
        if events.count > Self.keptCount { events.removeFirst() }
        condition.wakeAll()
    }

    /// Returns as soon as `count` watches wait. Blocks.
    package func testOnlyWait(forWatches count: Int) {
        condition.withLock { while slots.count < count { condition.wait() } }
    }
}
