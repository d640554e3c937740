/// A day of the proleptic Gregorian calendar.
package struct CivilDate: Sendable, Equatable {
    package let year: Int
    package let month: Int
    package let day: Int

    private static let daysFrom1970To2001 = 11_323

    /// Nil unless the day exists, in a year of at most six digits.
    package init?(year: Int, month: Int, day: Int) {
        guard (-999_999...999_999).contains(year), (1...12).contains(month), (1...31).contains(day) else { return nil }
        let days = Self.daysSince2001(year: year, month: month, day: day)
        self.init(daysSince2001: days)
        // 31 April gives another day.
        guard self.day == day else { return nil }
    }

    /// - Parameter days: since 2001-01-01, the start of Apple's dates.
    package init(daysSince2001 days: Int) {
        let shifted = days + Self.daysFrom1970To2001 + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    package var daysSince2001: Int { Self.daysSince2001(year: year, month: month, day: day) }

    // Eras of 400 years that start on 1 March, so that leap days come last.
    private static func daysSince2001(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468 - daysFrom1970To2001
    }
}
