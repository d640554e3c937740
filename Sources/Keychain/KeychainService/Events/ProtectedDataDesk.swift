package import LatchkeyKeychainMessages
package import LatchkeyThreading
import Synchronization

/// Reports every lock and unlock to the watchers of a device, which wait here instead of asking in intervals.
package final class ProtectedDataDesk: @unchecked Sendable {
    // Sendable because everything that changes is only touched inside of the condition's lock.

    /// The number of watches at the same time, of all processes and of one.
    package static let watchLimit = 64
    package static let watchLimitOfProcess = 8
    /// Events that are kept for watchers that are slower than the device.
    private static let keptCount = 16

    private let condition = WaitCondition()
    private let looking = Mutex(())
    private var events: [ProtectedDataEvent] = []
    private var lastNumber: Int64 = 0
    /// By process; 0 for callers without one.
    private var waiting: [Int32: Int] = [:]
    private var waitingCount = 0
    private var isFollowed = false
    private var isClosed = false

    /// Something happened that may have locked or unlocked the device.
    /// - Parameter state: reads the current state; called only after the first watch.
    func lockStateMayHaveChanged(_ state: () -> ProtectedDataState) {
        guard condition.withLock({ isFollowed && !isClosed }) else { return }
        look(state)
    }

    /// From now on a cancellation ends the waits that are given it. Once for each cancellation.
    package func heed(_ cancellation: Cancellation) {
        condition.wakeAll(when: cancellation)
    }

    /// The first event after one, as soon as there is one. Blocks until then, or until the cancellation is over, which this
    /// desk must ``heed(_:)``.
    /// - Parameters:
    ///   - processID: of the program that asks; 0 if it has none.
    ///   - present: the state now, for the first question of all.
    package func next(
        after number: Int64?, processID: Int32, until cancellation: Cancellation,
        present: () -> ProtectedDataState
    ) -> EventReply {
        condition.withLock { isFollowed = true }
        // The service reports later changes to this desk.
        look(present)
        return condition.withLock {
            guard !isClosed else { return .ended }
            guard let number else { return events.last.map { .event($0) } ?? .ended }
            guard waitingCount < Self.watchLimit, waiting[processID, default: 0] < Self.watchLimitOfProcess else {
                return .ended
            }
            waitingCount += 1
            waiting[processID, default: 0] += 1
            condition.wakeAll()
            defer {
                waitingCount -= 1
                waiting[processID] = waiting[processID].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
            while !isClosed, !cancellation.isOver {
                if let event = events.first(where: { $0.number > number }) { return .event(event) }
                condition.wait(until: cancellation)
            }
            return .ended
        }
    }

    /// Ends every wait.
    func close() {
        condition.withLock {
            isClosed = true
            condition.wakeAll()
        }
    }

    /// One at a time: an older look must not come after a newer one.
    private func look(_ state: () -> ProtectedDataState) {
        looking.withLock { _ in
            let now = state()
            condition.withLock { note(now) }
        }
    }

    /// Inside of the lock.
    private func note(_ state: ProtectedDataState) {
        guard events.last?.state != state else { return }
        lastNumber += 1
        events.append(ProtectedDataEvent(number: lastNumber, state: state))
        if events.count > Self.keptCount { events.removeFirst() }
        condition.wakeAll()
    }

    /// Returns as soon as as many wait. Blocks.
    package func testOnlyWait(forWatches count: Int) {
        condition.withLock { while waitingCount < count { condition.wait() } }
    }
}
