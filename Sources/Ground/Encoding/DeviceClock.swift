/// The wall clock and monotonic clock of a device. A virtual device has its own.
package protocol DeviceClock: Sendable {
    func wallTime() -> WallTime
    func uptime() -> Uptime
}
