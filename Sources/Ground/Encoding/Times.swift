/// A time by the clock on the wall. It may jump in both directions when the clock is set.
package struct WallTime: Sendable, Hashable, Comparable {
    /// Since 2001-01-01 00:00:00 UTC.
    package var seconds: Double

    package init(secondsSince2001 seconds: Double) {
        self.seconds = seconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
}

/// A time of a running device: it only grows, and suspended time counts. Times of different boots say nothing about each
/// other.
package struct Uptime: Sendable, Hashable, Comparable {
    /// Since the boot.
    package var seconds: Double

    package init(seconds: Double) {
        self.seconds = seconds
    }

    package static func < (left: Uptime, right: Uptime) -> Bool { left.seconds < right.seconds }

    package static func + (start: Uptime, seconds: Double) -> Uptime { Uptime(seconds: start.seconds + seconds) }

    /// The seconds from `start` to `end`.
    package static func - (end: Uptime, start: Uptime) -> Double { end.seconds - start.seconds }
}

extension Uptime: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    package init(integerLiteral seconds: Int) {
        self.init(seconds: Double(seconds))
    }

    package init(floatLiteral seconds: Double) {
        self.init(seconds: seconds)
    }
}
