import LatchkeyItemModel
import Testing

@Suite("Docs/RefusalRules.md")
struct RuleListTests {
    /// A line of one of the tables.
    private struct Line {
        let part: String
        let name: String
        let code: String
        /// The last column, without markup.
        let advice: String
    }

    private static func lines() throws -> [Line] {
        var part = ""
        return try Project.text(Rule.page).split(separator: "\n").compactMap { line -> Line? in
            if line.hasPrefix("## ") { part = String(line.dropFirst(3)) }
            guard let cells = line.wholeMatch(of: /\| `([^`]+)` \| (.*?) \| .* \| (.*) \|/)?.output else { return nil }
            let words = cells.3.replacing(/\[([^\]]*)\]\([^)]*\)/) { $0.output.1 }.replacing("`", with: "")
            return Line(part: part, name: String(cells.1), code: String(cells.2), advice: String(words))
        }
    }

    @Test("lists every rule once, in the order of the sources, and no other")
    func isComplete() throws {
        #expect(try Self.lines().map(\.name) == Rule.allCases.map(\.rawValue))
    }

    @Test("has each rule in the part that the rule names, and no other parts")
    func parts() throws {
        let lines = try Self.lines()
        for line in lines { #expect(Rule(rawValue: line.name)?.part.rawValue == line.part, "\(line.name)") }
        #expect(Set(lines.map(\.part)) == Set(Rule.Part.allCases.map(\.rawValue)))
    }

    @Test("gives the code 0 to findings alone")
    func kinds() throws {
        for line in try Self.lines() {
            #expect((Rule(rawValue: line.name)?.kind == .finding) == (line.code == "0"), "\(line.name)")
        }
    }

    /// A rule with several texts, or with a gap in its advice, has words of its own in the page.
    @Test("gives the advice of each rule in the words of the refusal")
    func advice() throws {
        let several = Set(Rule.Occasion.allCases.map(\.text.rule))
        for line in try Self.lines() {
            let text = try #require(Rule(rawValue: line.name)).text
            guard !several.contains(text.rule), !text.advice.contains("{") else { continue }
            let advice = text.advice.hasSuffix(".") ? text.advice.dropLast() : text.advice[...]
            #expect(line.advice.lowercased().hasPrefix(advice.lowercased().replacing("`", with: "")), "\(line.name)")
        }
    }

    @Test("lists no rule that the sources do not use")
    func isUsed() throws {
        let used = try Project.files(below: "Sources", suffix: ".swift")
            .filter { !$0.contains("/ItemModel/Rule") }
            .reduce(into: Set<Substring>()) { words, path in
                words.formUnion(try Project.text(path).matches(of: /\.([a-z]\w+)/).map(\.output.1))
            }
        #expect(Rule.allCases.filter { !used.contains("\($0)") }.isEmpty)
        #expect(Rule.Occasion.allCases.filter { !used.contains("\($0)") }.isEmpty)
    }
}
