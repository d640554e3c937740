import Foundation
import LatchkeyTestSupport
import Testing

@testable import Security

@Suite("Result codes")
struct ResultCodeTests {
    @Test("every code has its number")
    func numbers() {
        for row in ResultCodeFixture.all { #expect(row.code == row.number, "\(row.name)") }
    }

    @Test("every code is in the table of messages, under its name and number, once")
    func table() {
        let table = ResultMessage.all.map { "\($0.name) \($0.code)" }
        #expect(Set(table).count == table.count)
        #expect(Set(table) == Set(ResultCodeFixture.all.map { "\($0.name) \($0.number)" }))
    }

    @Test("every code has one text of its own, a sentence")
    func texts() {
        let texts = ResultMessage.all.compactMap { message in message.text.map { (message.code, $0) } }
        #expect(Set(texts.map(\.0)).count == texts.count)
        #expect(Set(texts.map(\.0)) == Set(ResultMessage.all.map(\.code)))
        for (code, text) in texts {
            #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(code)")
        }
    }

    @Test("the text of a code is the one of the table")
    func messages() {
        for message in ResultMessage.all {
            let text = SecCopyErrorMessageString(message.code, nil) as String?
            #expect(text?.isEmpty == false)
            if let expected = message.text { #expect(text == expected) }
        }
        #expect(SecCopyErrorMessageString(errSecItemNotFound, nil) == "The item was not found in the keychain.")
        #expect(SecCopyErrorMessageString(errSecUnsupportedPadding, nil) == SecCopyErrorMessageString(-50, nil))
    }

    @Test("a code without a name is repeated", arguments: [1, -1, 12345, .min, .max] as [OSStatus])
    func unknown(code: OSStatus) {
        #expect(SecCopyErrorMessageString(code, nil) == NSString(string: "OSStatus \(code)"))
    }

    @Test("the documentation lists the same codes, names and texts")
    func documentation() throws {
        let documented = try rows(ofSection: "All codes").map { $0.joined(separator: " | ") }
        let names = Dictionary(
            ResultMessage.all.filter { $0.text != nil }.map { ($0.code, $0.name) }, uniquingKeysWith: { one, _ in one })
        let expected = ResultMessage.all.map { message in
            let text = message.text ?? "same as `\(names[message.code] ?? "")`"
            return "\(message.code) | `\(message.name)` | \(text)"
        }
        #expect(documented.sorted() == expected.sorted())
    }

    @Test("every code that the documentation says is given has its right name")
    func givenCodes() throws {
        let known = Set(ResultMessage.all.map { "\($0.code) `\($0.name)`" })
        let given = try rows(ofSection: "When Latchkey gives a code").map { "\($0[0]) \($0[1])" }
        #expect(given.count > 10)
        #expect(given.filter { !known.contains($0) } == [])
    }

    /// The cells of the rows of the table in a section of the documentation, without its head.
    private func rows(ofSection title: String) throws -> [[String]] {
        let text = try String(contentsOf: PackageFolder.file("Docs/ErrorCodes.md"), encoding: .utf8)
        let sections = text.components(separatedBy: "\n## ")
        let section = try #require(sections.first { $0.hasPrefix(title + "\n") })
        let lines = section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        return lines.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        }
    }
}
