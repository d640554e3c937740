/// A point in time by the two clocks of a device, in microseconds.
package struct Moment: Hashable, Sendable {
    /// The time that the device has lived: never goes back, and continues after a restart. Intervals are measured with it.
    package let uptime: UInt64
    /// Since 2001-01-01 00:00:00 UTC, by a clock that may be wrong. Only versions and dates are taken from it.
    package let wallClock: UInt64

    package init(uptime: UInt64, wallClock: UInt64) {
        self.uptime = uptime
        self.wallClock = wallClock
    }
}
