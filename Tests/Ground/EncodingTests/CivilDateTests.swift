import Glibc
import LatchkeyEncoding
import Testing

@Suite("Days of the calendar")
struct CivilDateTests {
    private static let secondsTo2001 = 978_307_200

    @Test(
        "that exist, and those that do not",
        arguments: [
            (2000, 2, 29, true), (1900, 2, 29, false), (2004, 2, 29, true), (2001, 2, 29, false), (2024, 4, 31, false),
            (2024, 12, 31, true), (2024, 13, 1, false), (2024, 0, 1, false), (2024, 1, 0, false), (2024, 1, 32, false),
            (0, 1, 1, true), (9999, 12, 31, true), (2024, Int.min, 1, false), (2024, 1, Int.max, false),
            (Int.max, 1, 1, false), (Int.min, 1, 1, false),
        ])
    func existence(_ year: Int, _ month: Int, _ day: Int, _ exists: Bool) {
        #expect((CivilDate(year: year, month: month, day: day) != nil) == exists)
    }

    @Test("are those of the C library, from the year 0 to the year 9999")
    func likeTheLibrary() throws {
        // A prime step meets every day of the week, month and leap cycle.
        for days in stride(from: -730_851, through: 2_921_573, by: 61) {
            let date = CivilDate(daysSince2001: days)
            var time = time_t(days * 86_400 + Self.secondsTo2001)
            var parts = tm()
            try #require(gmtime_r(&time, &parts) != nil)
            guard
                date.year == Int(parts.tm_year) + 1900, date.month == Int(parts.tm_mon) + 1,
                date.day == Int(parts.tm_mday), date.daysSince2001 == days,
                CivilDate(year: date.year, month: date.month, day: date.day) == date
            else {
                Issue.record("\(days) days since 2001: \(date)")
                return
            }
        }
    }

    @Test("have numbers of digits alone")
    func digits() {
        let table: [(String, Int?)] = [
            ("0", 0), ("007", 7), ("999999999999999999", 999_999_999_999_999_999), ("1000000000000000000", nil),
            ("", nil), ("+1", nil), ("-1", nil), (" 1", nil), ("1 ", nil), ("１", nil), ("1a", nil),
        ]
        for (text, number) in table { #expect(DecimalDigits.number(Array(text.utf8)[...]) == number, "\(text)") }
        for (number, width, text) in [
            (7, 2, "07"), (123, 2, "123"), (0, 4, "0000"), (-7, 4, "-007"), (-1169, 4, "-1169"),
        ] {
            var written: [UInt8] = []
            DecimalDigits.append(number, width: width, to: &written)
            #expect(written == Array(text.utf8))
        }
    }
}
