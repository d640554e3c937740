import LatchkeyEncoding

/// A time to the microsecond, in DER's GeneralizedTime: `YYYYMMDDHHMMSS[.fraction]Z`.
struct CalendarTime: Equatable {
    private static let microsecondsPerDay: Int64 = 86_400_000_000
    /// GeneralizedTime has years 0000 to 9999 only; later and earlier times are clamped.
    private static let range = PropertyValue.dateRange
    private static let lastMicrosecond: Int64 = 252_423_993_599_999_999

    private let microsecondsSince2001: Int64

    init(secondsSince2001 seconds: Double) {
        let finite = seconds.isNaN ? 0 : seconds
        let clamped = min(max(finite, Self.range.lowerBound), Self.range.upperBound)
        microsecondsSince2001 = min(Int64((clamped * 1_000_000).rounded()), Self.lastMicrosecond)
    }

    var secondsSince2001: Double { Double(microsecondsSince2001) / 1_000_000 }

    /// The bytes of the GeneralizedTime: with a fraction only if it is not zero, without trailing zeros.
    var generalizedTime: [UInt8] {
        var day = microsecondsSince2001 / Self.microsecondsPerDay
        var rest = microsecondsSince2001 % Self.microsecondsPerDay
        if rest < 0 {
            rest += Self.microsecondsPerDay
            day -= 1
        }
        let date = CivilDate(daysSince2001: Int(day))
        let seconds = Int(rest / 1_000_000)
        var text: [UInt8] = []
        text.reserveCapacity(22)
        DecimalDigits.append(date.year, width: 4, to: &text)
        for number in [date.month, date.day, seconds / 3600, seconds / 60 % 60, seconds % 60] {
            DecimalDigits.append(number, width: 2, to: &text)
        }
        let fraction = rest % 1_000_000
        if fraction != 0 {
            text.append(UInt8(ascii: "."))
            DecimalDigits.append(Int(fraction), width: 6, to: &text)
            while text.last == UInt8(ascii: "0") { text.removeLast() }
        }
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// Nil unless the bytes are a time that exists; digits beyond the microsecond are cut.
    init?(generalizedTime bytes: Slice<UnsafeRawBufferPointer>) {
        let text = unsafe [UInt8](bytes)
        guard text.count >= 15, text.count <= 32, text.last == UInt8(ascii: "Z"),
            let year = DecimalDigits.number(text[0..<4]), let month = DecimalDigits.number(text[4..<6]),
            let day = DecimalDigits.number(text[6..<8]), let hour = DecimalDigits.number(text[8..<10]),
            let minute = DecimalDigits.number(text[10..<12]), let second = DecimalDigits.number(text[12..<14]),
            let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if text.count > 15 {
            let digits = text[15..<text.count - 1]
            guard text[14] == UInt8(ascii: "."), !digits.isEmpty, digits.last != UInt8(ascii: "0"),
                DecimalDigits.number(digits) != nil, let kept = DecimalDigits.number(digits.prefix(6))
            else { return nil }
            fraction = Int64(kept)
            for _ in digits.prefix(6).count..<6 { fraction *= 10 }
        }
        let seconds = hour * 3600 + minute * 60 + second
        microsecondsSince2001 =
            Int64(date.daysSince2001) * Self.microsecondsPerDay + Int64(seconds) * 1_000_000 + fraction
    }
}
