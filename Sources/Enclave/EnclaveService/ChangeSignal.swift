import LatchkeyThreading

import struct Synchronization.Atomic

/// Counts changes of the loaded keys, and wakes the threads that wait for such a change or for a timer.
final class ChangeSignal: @unchecked Sendable {
    // Sendable because the ticket is only accessed under the condition's lock.
    private static let epochWaitNanoseconds = 45_000_000_000

    private let condition = WaitCondition()
    private var timerTicket: UInt64 = 0
    private let current: Atomic<UInt64>

    init(firstEpoch: UInt64) {
        current = Atomic(firstEpoch)
    }

    var epoch: UInt64 { current.load(ordering: .acquiring) }

    /// Announces that keys were loaded or removed.
    func keysChanged() {
        wakeAll { current.add(1, ordering: .acquiringAndReleasing) }
    }

    /// Announces that the next expiry has moved: grace period, idle time or trust in fingers.
    func timerChanged() {
        wakeAll { timerTicket += 1 }
    }

    /// Returns the epoch as soon as it differs from `known`, or unchanged after three quarters of a minute. Blocks.
    ///
    /// The wait is limited because the requesting process may have ended, and the waiting thread would never notice. It is long because
    /// every answer wakes two processes of a device that does nothing.
    func waitForEpoch(otherThan known: UInt64) -> UInt64 {
        condition.withLock {
            let deadline = WaitCondition.Deadline(afterNanoseconds: Self.epochWaitNanoseconds)
            while epoch == known, condition.wait(until: deadline) {}
            return epoch
        }
    }

    /// The argument for ``waitForTimer(after:seconds:)``; read it before computing the seconds.
    var ticket: UInt64 { condition.withLock { timerTicket } }

    /// Returns after the seconds, or earlier if the timer changed since the ticket was taken. Blocks.
    func waitForTimer(after known: UInt64, seconds: Double?) {
        condition.withLock {
            guard let seconds else {
                while timerTicket == known { condition.wait() }
                return
            }
            let deadline = WaitCondition.Deadline(afterNanoseconds: Int(min(seconds, 86_400) * 1_000_000_000))
            while timerTicket == known, condition.wait(until: deadline) {}
        }
    }

    private func wakeAll(_ change: () -> Void) {
        condition.withLock {
            change()
            condition.wakeAll()
        }
    }
}
