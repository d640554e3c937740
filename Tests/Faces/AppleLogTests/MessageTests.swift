import Foundation
import Testing

@testable import AppleLog

/// The rules are those of Apple's "Generating Log Messages from Your Code" and of the documentation of `OSLogPrivacy`: numbers
/// and truth values are visible, dynamic texts and objects are redacted, unless the message says otherwise.
@Suite("Messages of the log")
struct MessageTests {
    private struct Token: CustomStringConvertible, Error {
        var description: String { "token" }
    }

    private struct Refusal: Error {}

    private static let name = "anna"

    private static var privacies: [(OSLogMessage, String)] {
        [
            ("a literal, 100 % visible", "a literal, 100 % visible"),
            ("\(name)", "<private>"),
            ("\(name, privacy: .auto)", "<private>"),
            ("\(name, privacy: .private)", "<private>"),
            ("\(name, privacy: .sensitive)", "<private>"),
            ("\(name, privacy: .public)", "anna"),
            ("\(Token())", "<private>"),
            ("\(Token(), privacy: .public)", "token"),
            ("\(Refusal())", "<private>"),
            ("\(Refusal(), privacy: .public)", "Refusal()"),
            ("\(Refusal() as any Error, privacy: .public)", "Refusal()"),
            ("\(Data([1]) as NSData)", "<private>"),
            ("\([1, 2])", "<private>"),
            ("\(Int.self)", "<private>"),
            ("\(Int.self, privacy: .public)", "Int"),
            ("\(7) \(-7 as Int8) \(UInt64.max)", "7 -7 18446744073709551615"),
            ("\(7, privacy: .private)", "<private>"),
            ("\(7, privacy: .sensitive)", "<private>"),
            ("\(1.5) \(Float(0.25))", "1.500000 0.250000"),
            ("\(1.5, privacy: .private)", "<private>"),
            ("\(true) \(false, format: .answer)", "true no"),
            ("\(true, privacy: .private)", "<private>"),
            ("\(UnsafeRawPointer(bitPattern: 16))", "0x0000000000000010"),
            ("\(name, privacy: .public) has \(3) of \(name)", "anna has 3 of <private>"),
        ]
    }

    @Test("show what is public, and numbers", arguments: privacies.indices)
    func privacy(row: Int) {
        let (message, expected) = Self.privacies[row]
        #expect(message.text == expected)
    }

    private static var formats: [(OSLogMessage, String)] {
        [
            ("\(255, format: .hex)", "ff"),
            ("\(255, format: .hex(includePrefix: true, uppercase: true, minDigits: 4))", "0x00FF"),
            ("\(-255, format: .hex)", "-ff"),
            ("\(8, format: .octal) \(8, format: .octal(includePrefix: true))", "10 0o10"),
            ("\(5, format: .decimal(explicitPositiveSign: true))", "+5"),
            ("\(-5, format: .decimal(minDigits: 3))", "-005"),
            (
                "\(1.5, format: .fixed(precision: 1)) \(1.5, format: .fixed(precision: 0, explicitPositiveSign: true))",
                "1.5 +2"
            ),
            (
                "\(1500.0, format: .exponential) \(1500.0, format: .exponential(precision: 1, uppercase: true))",
                "1.500000e+03 1.5E+03"
            ),
            ("\(0.5, format: .hybrid) \(0.5, format: .hex)", "0.5 0x1p-1"),
            ("[\(7, align: .right(columns: 3))] [\("ab", align: .left(columns: 4), privacy: .public)]", "[  7] [ab  ]"),
            ("[\(12345, align: .right(columns: 3))]", "[12345]"),
        ]
    }

    @Test("write values in the notation that they name", arguments: formats.indices)
    func format(row: Int) {
        let (message, expected) = Self.formats[row]
        #expect(message.text == expected)
    }

    @Test("have the same code for the same value, and another one for another value")
    func masks() {
        func code(_ value: String) -> String { ("\(value, privacy: .private(mask: .hash))" as OSLogMessage).text }
        #expect(code("anna") == code("anna") && code("anna") != code("bert"))
        #expect(code("anna").hasPrefix("<mask.hash: '") && !code("anna").contains("anna"))
        #expect(("\(7, privacy: .sensitive(mask: .hash))" as OSLogMessage).text == code("7"))
        #expect(("\("anna", privacy: .auto(mask: .hash))" as OSLogMessage).text == code("anna"))
        // A value that need not be redacted is shown in full.
        #expect(("\(7, privacy: .auto(mask: .hash))" as OSLogMessage).text == "7")
    }

    @Test("do not compute a value that is redacted")
    func redactedIsNotMade() {
        func secret() -> String {
            Issue.record("computed")
            return "secret"
        }
        #expect(("\(secret()) \(secret(), privacy: .sensitive)" as OSLogMessage).text == "<private> <private>")
    }
}
