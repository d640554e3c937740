import Foundation
import LatchkeyEncoding
import Synchronization

/// A clock that stands still until it is moved.
final class VirtualClock: DeviceClock {
    private let start: Double
    private let elapsed = Mutex(0.0)

    init(start: Date) {
        self.start = start.timeIntervalSinceReferenceDate
    }

    func wallTime() -> WallTime { WallTime(secondsSince2001: start + uptime().seconds) }

    func uptime() -> Uptime { Uptime(seconds: elapsed.withLock { $0 }) }

    func advance(by duration: Duration) {
        elapsed.withLock { $0 += max(0, duration / .seconds(1)) }
    }
}
