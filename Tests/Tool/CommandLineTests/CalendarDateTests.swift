import LatchkeyCommandLineTool
import Testing

@Suite("Times on the command line")
struct CalendarDateTests {
    @Test(
        "are read as they are written",
        arguments: [
            ("2001-01-01T00:00:00Z", 0), ("2000-12-31T23:59:59Z", -1), ("2026-01-31T12:00:00Z", 791_553_600),
            ("1970-01-01T00:00:00Z", -978_307_200), ("0000-01-01T00:00:00Z", -63_145_526_400),
            ("5170-01-01T00:00:00Z", 100_003_939_200), ("9999-12-31T23:59:59Z", 252_423_993_599),
        ])
    func both(_ text: String, _ seconds: Double) {
        #expect(CalendarDate.secondsSince2001(text) == seconds)
        #expect(CalendarDate.text(secondsSince2001: seconds) == text)
    }

    @Test("may be a day alone, which begins at midnight")
    func day() { #expect(CalendarDate.secondsSince2001("2001-01-02") == 86_400) }

    @Test(
        "are refused where there is no such moment",
        arguments: [
            "2026-02-29", "2026-04-31", "2026-13-01", "2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z",
            "2026-01-01T23:59:60Z", "2026-01-01T00:00:00", "2026-1-1", "+026-01-01", "2026-01-01t00:00:00Z", "",
            "２026-01-1",
        ])
    func refused(_ text: String) { #expect(CalendarDate.secondsSince2001(text) == nil) }

    @Test(
        "are not dates beyond the years of four digits", arguments: [252_423_993_600, -63_145_526_401, .nan, .infinity])
    func none(_ seconds: Double) { #expect(CalendarDate.text(secondsSince2001: seconds) == "no date") }

    @Test("are cut to the second before")
    func fraction() {
        #expect(CalendarDate.text(secondsSince2001: 0.999) == "2001-01-01T00:00:00Z")
        #expect(CalendarDate.text(secondsSince2001: -0.001) == "2000-12-31T23:59:59Z")
    }
}
