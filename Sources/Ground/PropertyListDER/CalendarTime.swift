/// A moment to the microsecond, as DER's GeneralizedTime writes it: `YYYYMMDDHHMMSS[.fraction]Z`.
struct CalendarTime: Equatable {
    private static let microsecondsPerDay: Int64 = 86_400_000_000
    /// Days from 1970-01-01 to 2001-01-01.
    private static let daysTo2001: Int64 = 11_323
    /// GeneralizedTime has years 0000 to 9999 only; later and earlier moments are cut to that.
    private static let range = PropertyValue.dateRange
    private static let lastMicrosecond: Int64 = 252_423_993_599_999_999

    private let microsecondsSince2001: Int64

    init(secondsSince2001 seconds: Double) {
        let finite = seconds.isNaN ? 0 : seconds
        let clamped = min(max(finite, Self.range.lowerBound), Self.range.upperBound)
        microsecondsSince2001 = min(Int64((clamped * 1_000_000).rounded()), Self.lastMicrosecond)
    }

    var secondsSince2001: Double { Double(microsecondsSince2001) / 1_000_000 }

    /// The bytes of the GeneralizedTime: a fraction only if there is one, without trailing zeros.
    var generalizedTime: [UInt8] {
        var day = microsecondsSince2001 / Self.microsecondsPerDay
        var rest = microsecondsSince2001 % Self.microsecondsPerDay
        if rest < 0 {
            rest += Self.microsecondsPerDay
            day -= 1
        }
        let date = Self.civilDate(daysSince1970: day + Self.daysTo2001)
        let seconds = rest / 1_000_000
        var text: [UInt8] = []
        text.reserveCapacity(22)
        Self.append(date.year, digits: 4, to: &text)
        Self.append(date.month, digits: 2, to: &text)
        Self.append(date.day, digits: 2, to: &text)
        Self.append(seconds / 3600, digits: 2, to: &text)
        Self.append(seconds / 60 % 60, digits: 2, to: &text)
        Self.append(seconds % 60, digits: 2, to: &text)
        let fraction = rest % 1_000_000
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            Self.append(fraction, digits: 6, to: &text)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// Nil unless the bytes are a moment that exists; digits beyond the microsecond are cut.
    init?(generalizedTime bytes: Slice<UnsafeRawBufferPointer>) {
        let text = unsafe [UInt8](bytes)
        guard text.count >= 15, text.count <= 32, text.last == UInt8(ascii: "Z"),
            let year = Self.number(text[0..<4]), let month = Self.number(text[4..<6]),
            let day = Self.number(text[6..<8]), let hour = Self.number(text[8..<10]),
            let minute = Self.number(text[10..<12]), let second = Self.number(text[12..<14]),
            hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if text.count > 15 {
            let digits = text[15..<text.count - 1]
            guard text[14] == UInt8(ascii: "."), !digits.isEmpty, digits.last != UInt8(ascii: "0"),
                Self.number(digits.prefix(6)) != nil, Self.number(digits) != nil
            else { return nil }
            let kept = digits.prefix(6)
            fraction = Self.number(kept) ?? 0
            for _ in kept.count..<6 { fraction *= 10 }
        }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        // A day that does not exist (31 April) comes back as another one.
        let check = Self.civilDate(daysSince1970: days)
        guard check.year == year, check.month == month, check.day == day else { return nil }
        let seconds = hour * 3600 + minute * 60 + second
        microsecondsSince2001 = (days - Self.daysTo2001) * Self.microsecondsPerDay + seconds * 1_000_000 + fraction
    }

    private static func append(_ number: Int64, digits: Int, to text: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            text.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty, digits.count <= 17 else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }

    // The proleptic Gregorian calendar in eras of 400 years that start on 1 March, so that leap days come last.

    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civilDate(daysSince1970 days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}
