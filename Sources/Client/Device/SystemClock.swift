import Glibc
package import LatchkeyEncoding

/// The clocks of this machine.
package struct SystemClock: DeviceClock {
    /// 2001-01-01 00:00:00 UTC in seconds of the Unix era.
    private static let referenceDate: Double = 978_307_200

    package init() {}

    package func wallTime() -> WallTime {
        WallTime(secondsSince2001: Self.seconds(CLOCK_REALTIME) - Self.referenceDate)
    }

    package func uptime() -> Uptime { Uptime(seconds: Self.seconds(CLOCK_BOOTTIME)) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
