/// A time by the clock on the wall. It may jump in both directions when the clock is set.
package struct WallTime: Sendable, Hashable, Comparable {
    /// Since 2001-01-01 00:00:00 UTC.
    package var seconds: Double

    package init(secondsSince2001 seconds: Double) {
        self.seconds = seconds
    }

    package static func < (left: WallTime, right: WallTime) -> Bool { left.seconds < right.seconds }
}

extension WallTime: ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    package init(integerLiteral seconds: Int) {
        self.init(secondsSince2001: Double(seconds))
    }

    package init(floatLiteral seconds: Double) {
        self.init(secondsSince2001: seconds)
    }
}

extension WallTime {
    /// From 1970-01-01 to 2001-01-01.
    private static let secondsFrom1970: Double = 978_307_200

    package init(secondsSince1970 seconds: Double) {
        self.init(secondsSince2001: seconds - Self.secondsFrom1970)
    }

    /// As clocks and file systems of Unix count.
    package var secondsSince1970: Double { seconds + Self.secondsFrom1970 }

    /// As databases keep times.
    package init(microsecondsSince2001 microseconds: Int64) {
        self.init(secondsSince2001: Double(microseconds) / 1_000_000)
    }

    /// The nearest microsecond; the smallest or largest number for a time that has none.
    package var microsecondsSince2001: Int64 {
        guard seconds.isFinite, abs(seconds) < 9e12 else { return seconds < 0 ? .min : .max }
        return Int64((seconds * 1_000_000).rounded())
    }

    /// The years 0 to 9999, which have four digits.
    package static let fourDigitYears: Range<Double> = -63_145_526_400..<252_423_993_600

    /// The time in UTC, to the second, as `2026-01-31T12:00:00Z`; nil outside of ``fourDigitYears``.
    package var text: String? {
        guard Self.fourDigitYears.contains(seconds) else { return nil }
        let whole = Int(seconds.rounded(.down))
        let days = Int((Double(whole) / 86_400).rounded(.down))
        let (date, rest) = (CivilDate(daysSince2001: days), whole - days * 86_400)
        var text: [UInt8] = []
        DecimalDigits.append(date.year, width: 4, to: &text)
        for (sign, number) in zip("--T::".utf8, [date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60]) {
            text.append(sign)
            DecimalDigits.append(number, width: 2, to: &text)
        }
        return String(decoding: text, as: UTF8.self) + "Z"
    }
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
