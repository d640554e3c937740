/// The dates of X.509.
enum DERMoment {
    /// Days from 1970-01-01 to 2001-01-01.
    private static let daysTo2001 = 11_323

    /// Seconds since 2001-01-01 00:00:00 UTC of a UTCTime or GeneralizedTime; nil if it is no moment that exists.
    ///
    /// Seconds may be missing, and there may be an offset instead of the Z: both occur in old certificates. Fractions
    /// of a second do not occur (RFC 5280, 4.1.2.5.2).
    static func seconds(_ item: DERItem) -> Double? {
        var digits = item.content
        let yearDigits: Int
        switch item.tag {
        case DERTag.utcTime: yearDigits = 2
        case DERTag.generalizedTime: yearDigits = 4
        default: return nil
        }
        guard var year = number(&digits, yearDigits), let month = number(&digits, 2), let day = number(&digits, 2),
            let hour = number(&digits, 2), let minute = number(&digits, 2)
        else { return nil }
        if yearDigits == 2 { year += year < 50 ? 2000 : 1900 }
        let hasSeconds = digits.first.map { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") } ?? false
        guard let second = hasSeconds ? number(&digits, 2) : 0, let offset = offset(digits),
            (1...12).contains(month), (1...length(ofMonth: month, year: year)).contains(day), hour < 24, minute < 60,
            second < 60
        else { return nil }
        let days = daysSince1970(year: year, month: month, day: day) - daysTo2001
        return Double(days * 86_400 + hour * 3600 + minute * 60 + second - offset)
    }

    /// The end of the text: Z, or hours and minutes from Greenwich.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        if text.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
        var digits = text.dropFirst()
        guard text.count == 5, let sign = text.first, let hours = number(&digits, 2), let minutes = number(&digits, 2),
            hours <= 14, minutes < 60
        else { return nil }
        switch sign {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ count: Int) -> Int? {
        guard text.count >= count else { return nil }
        var number = 0
        for digit in text.prefix(count) {
            guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        text = text.dropFirst(count)
        return number
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The Gregorian calendar in eras of 400 years that start on 1 March, so that leap days come last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
