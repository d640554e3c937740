import LatchkeyEncoding

/// The dates of X.509.
enum DERMoment {
    /// Converts a UTCTime or GeneralizedTime to seconds since 2001-01-01 00:00:00 UTC; nil if the date does not exist.
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
            let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        return Double(date.daysSince2001 * 86_400 + hour * 3600 + minute * 60 + second - offset)
    }

    /// Parses the end of the text: Z, or the offset from UTC in hours and minutes.
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
        guard text.count >= count, let number = DecimalDigits.number(text.prefix(count)) else { return nil }
        text = text.dropFirst(count)
        return number
    }
}
