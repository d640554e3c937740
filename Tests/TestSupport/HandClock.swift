package import LatchkeyEncoding
import Synchronization

/// A clock that moves only when it is told to.
package final class HandClock: DeviceClock {
    private let times = Mutex((wall: 800_000_000.0, up: 1000.0))

    package init() {}

    package func wallTime() -> WallTime { WallTime(secondsSince2001: times.withLock { $0.wall }) }
    package func uptime() -> Uptime { Uptime(seconds: times.withLock { $0.up }) }

    package func advance(by seconds: Double) {
        times.withLock {
            $0.wall += seconds
            $0.up += seconds
        }
    }

    package func setWallTime(_ time: Double) {
        times.withLock { $0.wall = time }
    }

    package func setUptime(_ time: Double) {
        times.withLock { $0.up = time }
    }
}
