import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The desk for the question about changes of items. Programs wait here and do not have to poll.
package final class ItemChangeDesk: @unchecked Sendable {
    // Sendable because the mutable state is only accessed under the condition's lock.

    /// The maximum number of simultaneous watches: of all processes, and of one.
    package static let watchLimit = 64
    package static let watchLimitOfProcess = 8

    private let clock: any DeviceClock
    private let condition = WaitCondition()
    private var counts = ItemChangeCounts()
    private var slots = WatchSlots(limit: watchLimit, limitOfProcess: watchLimitOfProcess)
    /// The waits that have seen a change and answer it later.
    private var seenCount = 0
    private var isClosed = false

    init(clock: any DeviceClock) {
        self.clock = clock
    }

    /// Counts what a commit has changed. Does not wait.
    func note(_ changes: ChangedGroups) {
        let now = clock.uptime()
        condition.withLock {
            counts.note(changes, at: now)
            condition.wakeAll()
        }
    }

    /// Handles a clock that may have been moved.
    func clockMayHaveMoved() {
        condition.withLock { condition.wakeAll() }
    }

    /// Makes a cancellation end the waits to which it is passed. To be called once for each cancellation.
    func heed(_ cancellation: Cancellation) {
        condition.wakeAll(when: cancellation)
    }

    /// Returns the count of changes as soon as it differs from the known one and the pace allows it; the known one if the wait is over before.
    /// Blocks until then.
    /// - Parameters:
    ///   - pace: that of the watch.
    ///   - cancellation: must have been passed to ``heed(_:)``.
    func count(
        after known: ItemChangeCount?, for caller: Caller, pace: inout ItemChangePace, until cancellation: Cancellation
    ) throws(ItemWatchEnded) -> ItemChangeCount {
        let processID = caller.process?.processID ?? 0
        let result = condition.withLock { () -> Result<ItemChangeCount, ItemWatchEnded> in
            guard !isClosed else { return .failure(.deviceEnds) }
            guard let known else { return .success(present(for: caller).count) }
            guard slots.take(processID) else { return .failure(.tooMany) }
            condition.wakeAll()
            var isSeen = false
            defer {
                slots.giveBack(processID)
                if isSeen { seenCount -= 1 }
            }
            while !cancellation.isOver {
                guard !isClosed else { return .failure(.deviceEnds) }
                let (present, changed) = present(for: caller)
                guard present != known else {
                    condition.wait(until: cancellation)
                    continue
                }
                let now = clock.uptime()
                let secondsLeft = pace.secondsLeft(at: now, changed: changed)
                guard secondsLeft > 0 else {
                    pace.answered(at: now)
                    return .success(present)
                }
                if !isSeen {
                    isSeen = true
                    seenCount += 1
                    condition.wakeAll()
                }
                // A clock that is moved by hand wakes it before.
                _ = condition.wait(until: .init(afterNanoseconds: Int(secondsLeft * 1_000_000_000) + 1))
            }
            return .success(known)
        }
        return try result.get()
    }

    /// To be called under the lock.
    private func present(for caller: Caller) -> (count: ItemChangeCount, changed: Uptime) {
        let tally = counts.tally(for: caller)
        return (ItemChangeCount(tally.count), tally.last)
    }

    /// Ends every wait.
    func close() {
        condition.withLock {
            isClosed = true
            condition.wakeAll()
        }
    }

    /// Returns as soon as `count` watches wait. Blocks.
    package func testOnlyWait(forWatches count: Int) {
        condition.withLock { while slots.count < count { condition.wait() } }
    }

    /// Returns as soon as `count` watches have seen a change that is not due yet. Blocks.
    package func testOnlyWait(forChangesSeen count: Int) {
        condition.withLock { while seenCount < count { condition.wait() } }
    }
}
