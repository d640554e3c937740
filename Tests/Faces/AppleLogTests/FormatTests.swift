import Foundation
import Glibc
import Testing

@testable import AppleLog

/// Formats and their privacy as in Apple's `os_log(3)`: "dynamic strings and objects are private, scalars and static strings
/// public"; `bool`, `BOOL`, `darwin.errno`, `mask.hash` among the words in braces.
@Suite("Formats of os_log")
struct FormatTests {
    private static var rows: [(String, [Any], String)] {
        [
            ("plain, 100 %%", [], "plain, 100 %"),
            ("%d %i %u", [1 as Int32, -2 as Int32, 3 as UInt32], "1 -2 3"),
            ("%ld %lld %zu", [1, -2 as Int64, 3 as UInt], "1 -2 3"),
            ("%x %X %o %05d", [255, 255, 8, 42], "ff FF 10 00042"),
            ("%.2f %e %g", [1.5, 1500.0, 0.5], "1.50 1.500000e+03 0.5"),
            ("%*d|%-*d|", [4 as Int32, 7 as Int32, 3 as Int32, 7 as Int32], "   7|7  |"),
            ("%Lf %LG", [1.5, 0.5], "1.500000 0.5"),
            ("%@", ["anna"], "<private>"),
            ("%{public}@", ["anna"], "anna"),
            ("%{private}@ %{sensitive}@", ["anna", "bert"], "<private> <private>"),
            ("%{public}@", [NSNumber(value: 7)], "7"),
            ("%p", [UnsafeRawPointer(bitPattern: 4096)!], "0x0000000000001000"),
            ("%p %p", [7, "anna"], "<decode: mismatch for [%p]> <decode: mismatch for [%p]>"),
            ("%{private}d %{public}d", [1 as Int32, 2 as Int32], "<private> 2"),
            ("%{bool}d %{BOOL}d", [1 as Int32, 0 as Int32], "true NO"),
            ("%{darwin.errno}d", [2 as Int32], "[2: No such file or directory]"),
            ("%{private, errno}d", [2 as Int32], "<private>"),
            ("%m", [], "No such file or directory"),
            ("%d %d", [1 as Int32], "1 <decode: missing data>"),
            ("%d", ["anna"], "<decode: mismatch for [%d]>"),
            ("%{public}s", [7], "<decode: mismatch for [%s]>"),
            ("%f", [7], "<decode: mismatch for [%f]>"),
            ("100 %", [], "100 %"),
            ("%{public", [], "%{public"),
        ]
    }

    @Test("show values as the format says, and no text that is not public", arguments: rows.indices)
    func format(row: Int) {
        let (format, arguments, expected) = Self.rows[row]
        #expect(LogFormat.text(format, arguments, errno: ENOENT) == expected)
    }

    @Test("take texts of C")
    func cTexts() {
        "anna".withCString { text in
            #expect(LogFormat.text("%s %{public}s", [text, text], errno: 0) == "<private> anna")
        }
    }

    @Test("read no more of a text of C than the precision says, which then needs no end")
    func cPrecision() {
        let page = sysconf(Int32(_SC_PAGESIZE))
        guard let pages = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            pages != MAP_FAILED
        else { return #expect(Bool(false), "no memory") }
        defer { munmap(pages, 2 * page) }
        // The page behind the text cannot be read.
        #expect(mprotect(pages + page, page, PROT_NONE) == 0)
        let text = (pages + page - 4).assumingMemoryBound(to: CChar.self)
        for (index, character) in "anna".utf8.enumerated() { text[index] = CChar(bitPattern: character) }
        let arguments: [Any] = [4 as Int32, text, text, text, text]
        let found = LogFormat.text("%{public}.*s %{public}.2s %{public}.0s|%{public}10.4s", arguments, errno: 0)
        #expect(found == "anna an |anna")
    }

    @Test("mask a value by its code")
    func masks() {
        let text = LogFormat.text("%{mask.hash}@", ["anna"], errno: 0)
        #expect(text == ("\("anna", privacy: .private(mask: .hash))" as OSLogMessage).text)
    }
}
