import LatchkeyItemModel
import Testing

@Suite("Docs/RefusalRules.md")
struct RuleListTests {
    /// The first column of each table.
    private static func names() throws -> [String] {
        try Project.text("Docs/RefusalRules.md").split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /\| `([^`]+)` \|/).map { String($0.output.1) }
        }
    }

    @Test("lists every rule once, in the order of the sources, and no other")
    func isComplete() throws {
        #expect(try Self.names() == Rule.allCases.map(\.rawValue))
    }

    @Test("lists no rule that the sources do not use")
    func isUsed() throws {
        let used = try Project.files(below: "Sources", suffix: ".swift").filter { !$0.hasSuffix("/Rule.swift") }
            .reduce(into: Set<Substring>()) { words, path in
                words.formUnion(try Project.text(path).matches(of: /\.([a-z]\w+)/).map(\.output.1))
            }
        #expect(Rule.allCases.filter { !used.contains("\($0)") }.isEmpty)
    }
}
