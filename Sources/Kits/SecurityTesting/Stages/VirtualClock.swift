import Foundation
import LatchkeyEncoding
import Synchronization

/// A clock that stands still until it is moved.
final class VirtualClock: DeviceClock {
    private struct State {
        var elapsed: Double
        /// The error of the wall clock, in seconds.
        var offset = 0.0
    }

    private let start: Double
    private let state: Mutex<State>

    private init(start: Double, _ state: State) {
        self.start = start
        self.state = Mutex(state)
    }

    convenience init(start: Date) {
        self.init(start: start.timeIntervalSinceReferenceDate, State(elapsed: 0))
    }

    /// A clock that shows the same, and is moved by itself.
    func copy() -> VirtualClock { VirtualClock(start: start, state.withLock { $0 }) }

    func wallTime() -> WallTime {
        WallTime(secondsSince2001: state.withLock { start + $0.elapsed + $0.offset })
    }

    func uptime() -> Uptime { Uptime(seconds: state.withLock { $0.elapsed }) }

    func advance(by duration: Duration) {
        state.withLock { $0.elapsed += max(0, duration / .seconds(1)) }
    }

    /// Sets the wall clock ahead of the right time, or behind it. The uptime does not change.
    func set(offset: Duration) {
        state.withLock { $0.offset = offset / .seconds(1) }
    }
}
