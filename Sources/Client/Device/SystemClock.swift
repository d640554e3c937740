import Glibc
package import LatchkeyEncoding

/// The clocks of this machine.
package struct SystemClock: DeviceClock {
    package init() {}

    package func wallTime() -> WallTime { WallTime(secondsSince1970: Self.seconds(CLOCK_REALTIME)) }

    package func uptime() -> Uptime { Uptime(seconds: Self.seconds(CLOCK_BOOTTIME)) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
