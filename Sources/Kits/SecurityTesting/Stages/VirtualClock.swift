import Foundation
import LatchkeyEnclaveCore
import Synchronization

/// A clock that stands still until it is moved.
final class VirtualClock: DeviceClock {
    private let start: Double
    private let elapsed = Mutex(0.0)

    init(start: Date) {
        self.start = start.timeIntervalSinceReferenceDate
    }

    func wallTime() -> Double { start + uptime() }

    func uptime() -> Double { elapsed.withLock { $0 } }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += max(0, duration / .seconds(1)) }
    }
}
