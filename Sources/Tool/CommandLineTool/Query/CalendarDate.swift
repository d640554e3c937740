package import LatchkeyEncoding

/// Times on the command line and in output: UTC, written `2026-01-31T12:00:00Z`. Years have four digits.
package enum CalendarDate {
    package static func text(_ time: WallTime) -> String { time.text ?? "no date" }

    package static func text(secondsSince2001 seconds: Double) -> String {
        text(WallTime(secondsSince2001: seconds))
    }

    /// Nil unless the text is `YYYY-MM-DD`, or that with `THH:MM:SSZ` behind it, and names a day that exists.
    package static func secondsSince2001(_ text: String) -> Double? {
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let digits = Array(whole.utf8)
        guard digits.count == 20, digits[10] == UInt8(ascii: "T"), digits[19] == UInt8(ascii: "Z"),
            digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
            digits[13] == UInt8(ascii: ":"), digits[16] == UInt8(ascii: ":"),
            let year = DecimalDigits.number(digits[0..<4]), let month = DecimalDigits.number(digits[5..<7]),
            let day = DecimalDigits.number(digits[8..<10]), let hour = DecimalDigits.number(digits[11..<13]),
            let minute = DecimalDigits.number(digits[14..<16]), let second = DecimalDigits.number(digits[17..<19]),
            let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        return Double(date.daysSince2001 * 86_400 + hour * 3600 + minute * 60 + second)
    }
}
