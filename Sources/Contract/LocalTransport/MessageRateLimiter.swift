import LatchkeyEncoding

/// A rate limit for one connection: a token bucket.
///
/// No honest program comes near it. A program that sends requests in a loop is slowed down, not refused, and leaves
/// time for the others.
struct MessageRateLimiter: Sendable {
    static let perSecond = 20_000.0

    private var left = MessageRateLimiter.perSecond
    private var lastTime: Uptime

    init(at time: Uptime) {
        lastTime = time
    }

    /// Counts a message and returns the seconds to wait before it is served.
    mutating func wait(at time: Uptime) -> Double {
        left = min(Self.perSecond, left + max(0, time - lastTime) * Self.perSecond)
        lastTime = time
        left -= 1
        return left >= 0 ? 0 : -left / Self.perSecond
    }
}
