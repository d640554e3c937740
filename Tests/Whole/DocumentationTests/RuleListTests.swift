import Testing

@Suite("Docs/RefusalRules.md")
struct RuleListTests {
    /// Rules as the sources name them: an argument after the label `rule`, or after the result code of a refusal, or a
    /// case of a list of rules.
    private static func rulesInSources() throws -> Set<String> {
        let labelled = /rule:\s*"([a-z-]+)"/
        let afterCode =
            /(?:Refusal|CallFailure|AuthenticationFailure|self\.init)\(\s*(?:\.\w+|ResultCode\(rawValue: -?\d+\)),\s*"([a-z-]+)"/
        return try Project.files(below: "Sources", suffix: ".swift").reduce(into: []) { rules, path in
            let text = try Project.text(path)
            rules.formUnion(text.matches(of: labelled).map { String($0.output.1) })
            rules.formUnion(text.matches(of: afterCode).map { String($0.output.1) })
            if text.contains(/enum \w+Rule: String/) {
                rules.formUnion(text.matches(of: /case \w+ = "([a-z-]+)"/).map { String($0.output.1) })
            }
        }
    }

    private static func rulesInDocumentation() throws -> [String] {
        try Project.text("Docs/RefusalRules.md").split(separator: "\n").compactMap { line in
            line.prefixMatch(of: /\| `([a-z-]+)` \|/).map { String($0.output.1) }
        }
    }

    @Test("lists every rule of the sources, and no other")
    func isComplete() throws {
        let used = try Self.rulesInSources()
        let listed = Set(try Self.rulesInDocumentation())
        #expect(used.count > 40, "the search finds the rules of the sources")
        #expect(used.subtracting(listed).isEmpty, "used in Sources, missing in Docs/RefusalRules.md")
        #expect(listed.subtracting(used).isEmpty, "listed in Docs/RefusalRules.md, used nowhere in Sources")
    }

    @Test("lists no rule twice")
    func hasNoRepetition() throws {
        let listed = try Self.rulesInDocumentation()
        #expect(Set(listed).count == listed.count)
    }
}
