import Glibc

/// Times on the command line and in output: UTC, written `2026-01-31T12:00:00Z`.
package enum CalendarDate {
    /// 2001-01-01 00:00:00 UTC as Unix time.
    private static let referenceUnixTime = 978_307_200

    package static func text(secondsSince2001 seconds: Double) -> String {
        guard seconds.isFinite, abs(seconds) < 1e11 else { return "no date" }
        var time = time_t(seconds.rounded(.down)) + referenceUnixTime
        var parts = unsafe tm()
        guard unsafe gmtime_r(&time, &parts) != nil else { return "no date" }
        let year = unsafe padded(Int(parts.tm_year) + 1900, 4)
        let date = unsafe "\(year)-\(padded(Int(parts.tm_mon) + 1, 2))-\(padded(Int(parts.tm_mday), 2))"
        return
            unsafe "\(date)T\(padded(Int(parts.tm_hour), 2)):\(padded(Int(parts.tm_min), 2)):\(padded(Int(parts.tm_sec), 2))Z"
    }

    /// Nil unless the text is `YYYY-MM-DD`, or that with `THH:MM:SSZ` behind it, and names a day that exists.
    package static func secondsSince2001(_ text: String) -> Double? {
        let whole = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let digits = Array(whole.utf8)
        guard digits.count == 20, digits[10] == UInt8(ascii: "T"), digits[19] == UInt8(ascii: "Z"),
            digits[4] == UInt8(ascii: "-"), digits[7] == UInt8(ascii: "-"),
            digits[13] == UInt8(ascii: ":"), digits[16] == UInt8(ascii: ":"),
            let year = number(digits[0..<4]), let month = number(digits[5..<7]), let day = number(digits[8..<10]),
            let hour = number(digits[11..<13]), let minute = number(digits[14..<16]),
            let second = number(digits[17..<19])
        else { return nil }
        var parts = unsafe tm()
        unsafe parts.tm_year = Int32(year - 1900)
        unsafe parts.tm_mon = Int32(month - 1)
        unsafe parts.tm_mday = Int32(day)
        unsafe parts.tm_hour = Int32(hour)
        unsafe parts.tm_min = Int32(minute)
        unsafe parts.tm_sec = Int32(second)
        let seconds = unsafe Double(timegm(&parts) - referenceUnixTime)
        // `timegm` turns 31 February into 3 March: only what comes back the same was a date.
        return self.text(secondsSince2001: seconds) == whole ? seconds : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
