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
            ("%.*f|%.*f|%*d|", [-1 as Int32, 1.5, 1 as Int32, 1.5, -3 as Int32, 7], "1.500000|1.5|7  |"),
            ("%D %O %U %'d %D", [7, 8, 9, 1000, Int.max], "7 10 9 1000 9223372036854775807"),
            ("%d %u %{private}d", [true, false, true], "1 0 <private>"),
            ("%{public}@", [true], "true"),
            ("%@", ["anna"], "<private>"),
            ("%{public}@", ["anna"], "anna"),
            ("%{private}@ %{sensitive}@", ["anna", "bert"], "<private> <private>"),
            ("%{public}@", [NSNumber(value: 7)], "7"),
            ("%p", [UnsafeRawPointer(bitPattern: 4096)!], "0x0000000000001000"),
            ("%p %p", [7, "anna"], "<decode: mismatch for [%p]> <decode: mismatch for [%p]>"),
            ("%{private}d %{public}d", [1 as Int32, 2 as Int32], "<private> 2"),
            ("%{bool}d %{BOOL}d", [1 as Int32, 0 as Int32], "true NO"),
            ("%{bool}d %{BOOL}d", [true, false], "true NO"),
            ("%{mask.hash}d", [7], "7"),
            ("%{darwin.errno}d", [2 as Int32], "[2: No such file or directory]"),
            ("%{private, errno}d", [2 as Int32], "<private>"),
            ("%m", [], "No such file or directory"),
            ("%d %d", [1 as Int32], "1 <decode: missing data>"),
            ("%d", ["anna"], "<decode: mismatch for [%d]>"),
            ("%{public}s", [7], "<decode: mismatch for [%s]>"),
            ("%f", [7], "<decode: mismatch for [%f]>"),
            ("100 %", [], "100 %"),
            ("%{public", [], "<decode: unknown conversion [%{]>public"),
        ]
    }

    @Test(
        "show no value behind a conversion that they do not know, for it could be another one's",
        arguments: ["%{private}S", "%{uuid_t}.16P", "%.*P", "%1$@", "%n", "%{public}k", "%{private"])
    func unknown(conversion: String) {
        let arguments: [Any] = [4 as Int32, "wide", "SECRET", "name", 7, "more"]
        let text = LogFormat.text("\(conversion) of %{private}@ %{public}@ %d, 100 %%: %m", arguments, errno: ENOENT)
        let lost = "<decode: after an unknown conversion>"
        #expect(text.hasPrefix("<decode: unknown conversion [%"))
        #expect(text.hasSuffix(" of \(lost) \(lost) \(lost), 100 %: No such file or directory"))
    }

    @Test("show the address in a pointer of any type, and nil")
    func pointers() {
        let address = "0x0000000000001000"
        let pointers: [Any] = [
            UnsafePointer<Int>(bitPattern: 4096)!, UnsafeMutablePointer<CChar>(bitPattern: 4096)!,
            UnsafeMutableRawPointer(bitPattern: 4096)!, OpaquePointer(bitPattern: 4096)!,
            UnsafePointer<Int>(bitPattern: 4096) as Any,
        ]
        for pointer in pointers { #expect(LogFormat.text("%p", [pointer], errno: 0) == address) }
        let none: [Any] = [UnsafePointer<Int>?.none as Any, OpaquePointer?.none as Any]
        #expect(LogFormat.text("%p %p", none, errno: 0) == "0x0 0x0")
        let texts: [Any] = [UnsafePointer<CChar>?.none as Any, UnsafeMutablePointer<CChar>?.none as Any]
        #expect(LogFormat.text("%{public}s %{public}s", texts, errno: 0) == "(null) (null)")
        #expect(LogFormat.text("%s", texts, errno: 0) == "<private>")
    }

    #if arch(x86_64)
    @Test("take a long double")
    func longDouble() {
        #expect(LogFormat.text("%Lf %.1Lf", [1.5 as Float80, 0.5 as Float80], errno: 0) == "1.500000 0.5")
    }
    #endif

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
