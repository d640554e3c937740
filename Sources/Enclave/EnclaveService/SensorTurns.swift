import LatchkeyThreading

/// The queue for the sensor: one operation at a time, in the order of arrival.
final class SensorTurns: @unchecked Sendable {
    // Sendable because both variables are only accessed under the condition's lock.
    private let condition = WaitCondition()
    private var line: [UInt64] = []
    private var next: UInt64 = 0

    /// Waits for the sensor. Returns false if the wait ended before; otherwise ``end()`` must follow. Blocks.
    func begin(until cancellation: Cancellation) -> Bool {
        cancellation.whenCancelled { [condition] in condition.withLock { condition.wakeAll() } }
        return condition.withLock {
            let mine = next
            next += 1
            line.append(mine)
            condition.wakeAll()
            while line.first != mine, !cancellation.isOver { wait(for: cancellation) }
            guard cancellation.isOver else { return true }
            line.removeAll { $0 == mine }
            condition.wakeAll()
            return false
        }
    }

    func end() {
        condition.withLock {
            line.removeFirst()
            condition.wakeAll()
        }
    }

    /// Returns when this many operations are queued. Blocks.
    func testOnlyWait(forLineOf count: Int) {
        condition.withLock {
            while line.count < count { condition.wait() }
        }
    }

    private func wait(for cancellation: Cancellation) {
        guard let seconds = cancellation.secondsLeft else { return condition.wait() }
        _ = condition.wait(until: WaitCondition.Deadline(afterNanoseconds: Int(seconds * 1_000_000_000)))
    }
}
