package import LatchkeyEncoding

/// Wall and monotonic time of a device. A virtual device has its own.
package protocol DeviceClock: Sendable {
    func wallTime() -> WallTime
    func uptime() -> Uptime
}
