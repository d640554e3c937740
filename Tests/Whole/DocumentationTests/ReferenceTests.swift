import Testing

/// Citations in comments, documents and rows, against the headings of the pages.
@Suite("Docs/Reference")
struct ReferenceTests {
    private static let directory = "Docs/Reference"
    /// Sources that rows of the conformance tests may name besides sections: the reference has none for
    /// `LocalAuthentication`.
    private static let otherSources: Set<Substring> = ["LA"]

    /// The number that each heading begins with, in the order of the pages.
    private let headings: [String]

    init() throws {
        headings = try Project.files(below: Self.directory, suffix: ".md").flatMap { page in
            try Project.text(page).matches(of: /(?m)^#+ (\d+(?:\.\d+)?) \S/).map { String($0.output.1) }
        }
    }

    /// The sections of a list such as `5.1, 6.3 to 6.5 and 15.9` at the beginning of a text, ranges written out.
    private static func sections(of text: Substring) -> [String] {
        guard let list = text.prefixMatch(of: /\d+(?:\.\d+)?(?:(?:, and|,| and| to) \d+(?:\.\d+)?)*/) else { return [] }
        return list.output.matches(of: /(to )?(\d+)(?:\.(\d+))?/).reduce(into: []) { sections, match in
            let end = String(match.output.2) + (match.output.3.map { "." + $0 } ?? "")
            if match.output.1 != nil, let start = sections.last { sections += between(start, end) }
            sections.append(end)
        }
    }

    /// The sections between two of the same chapter, or the chapters between two of them.
    private static func between(_ start: String, _ end: String) -> [String] {
        let (first, last) = (start.split(separator: "."), end.split(separator: "."))
        guard first.count == last.count, first.dropLast() == last.dropLast(),
            let from = first.last.flatMap({ Int($0) }), let to = last.last.flatMap({ Int($0) }), from < to
        else { return [] }
        return (from + 1..<to).map { (first.dropLast() + ["\($0)"]).joined(separator: ".") }
    }

    /// The sections that a text cites with the word. A citation may go on in the next line of a comment.
    static func citations(in text: String) -> [String] {
        let pieces = text.split(separator: "Reference", omittingEmptySubsequences: false)
        return zip(pieces, pieces.dropFirst()).flatMap { before, after -> [String] in
            guard before.last?.isLetter != true, after.first?.isWhitespace == true else { return [] }
            let behind = String(after.prefix(80)).replacing(/\s+(?:\/\/\/?\s+)?/, with: " ")
            return sections(of: behind.dropFirst())
        }
    }

    /// The sections in brackets in the comments of a table of rows, which cite without the word.
    private static func bracketed(in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.contains("///") }
            .flatMap { $0.matches(of: /\((\d[\d., andto]*)\)/).flatMap { sections(of: $0.output.1) } }
    }

    @Test("is searched for lists and ranges, also over the end of a line")
    func findsCitations() {
        #expect(Self.citations(in: "/// as it says (Reference 6.2).") == ["6.2"])
        #expect(
            Self.citations(in: "Reference 5.2 to 5.5, 6.4 and 6.9: rules") == [
                "5.2", "5.3", "5.4", "5.5", "6.4", "6.9",
            ])
        #expect(Self.citations(in: "/// (Reference\n    /// 7.2, 7.3, 13.4)") == ["7.2", "7.3", "13.4"])
        #expect(Self.citations(in: "/// (Reference 7.2,\n    /// 7.3)") == ["7.2", "7.3"])
        #expect(Self.citations(in: "Reference 9 to 11; PersistentReference 3, reference 4") == ["9", "10", "11"])
        #expect(
            Self.bracketed(in: "/// Rules (6.3 to 6.5, 15.1).\n/// Bytes (of 20).") == ["6.3", "6.4", "6.5", "15.1"])
    }

    @Test("has no number twice")
    func unique() {
        #expect(headings.count > 50)
        #expect(Dictionary(grouping: headings) { $0 }.filter { $1.count > 1 }.keys.sorted() == [])
    }

    @Test("has each section that sources, tests and documents cite")
    func cited() throws {
        let files =
            Project.files(below: "Sources", suffix: ".swift") + Project.files(below: "Tests", suffix: ".swift")
            + Project.files(below: "Fixtures", suffix: ".py") + Project.files(below: "Docs", suffix: ".md")
        var count = 0
        for file in files {
            let cited = Self.citations(in: try Project.text(file))
            count += cited.count
            let missing = Set(cited).subtracting(headings).sorted()
            #expect(missing == [], "\(file) cites what \(Self.directory) does not have")
        }
        #expect(count > 80)
    }

    @Test("has each section that a row of the conformance tests begins with")
    func rows() throws {
        var count = 0
        for file in Project.files(below: "Tests/Whole/Conformance", suffix: ".swift") {
            let text = try Project.text(file)
            let lists = text.matches(of: /(?:\brow\(\s*|\bsource: |case \.\w+: )"([^"]*)"/).map(\.output.1)
                .filter { $0.first?.isNumber == true || Self.otherSources.contains($0.prefix { $0 != "," }) }
            let named = lists.flatMap { $0.split(separator: ", ") }.filter { !Self.otherSources.contains($0) }
            count += named.count
            let missing = Set(named.map(String.init) + Self.bracketed(in: text)).subtracting(headings).sorted()
            #expect(missing == [], "\(file) names what \(Self.directory) does not have")
        }
        #expect(count > 300)
    }

    @Test("has each of its pages in the table of the first one")
    func pages() throws {
        let first = try Project.text("\(Self.directory)/README.md")
        for page in Project.files(below: Self.directory, suffix: ".md") where !page.hasSuffix("/README.md") {
            let name = page.dropFirst(Self.directory.count + 1)
            #expect(first.contains("](\(name))"), "\(Self.directory)/README.md does not link \(name)")
        }
    }

    @Test("has each constant of Security beside its value")
    func constants() throws {
        let directory = "Sources/Faces/Security/Constants"
        let lines = try Project.text("\(Self.directory)/constants-and-codes.md").split(separator: "\n")
        let deprecated = try Project.text("\(directory)/DeprecatedConstants.swift")
            .matches(of: /static let (\w+): CFString = (?:"([^"]*)"|\.name\(\.(\w+)\))/)
        // Those of attributes and protection classes are the raw values of the enumerations.
        let tables = try [
            "Sources/Core/ItemModel/AttributeName.swift", "Sources/Core/AccessControl/ProtectionClass.swift",
        ]
        .flatMap { try Project.text($0).matches(of: /case `?(\w+)`? = "([^"]*)"/).map { ($0.output.1, $0.output.2) } }
        let raw = Dictionary(uniqueKeysWithValues: tables)
        let values = Dictionary(
            uniqueKeysWithValues: deprecated.map { ($0.output.1, $0.output.2 ?? $0.output.3.flatMap { raw[$0] }) })
        var count = 0
        for file in Project.files(below: directory, suffix: ".swift") where !file.hasSuffix("/ViewHints.swift") {
            let declarations =
                /public let (\w+): CFString =\s+(?:"([^"]*)"|\.name\(\.(\w+)\)|unsafe DeprecatedConstants\.(\w+))/
            for match in try Project.text(file).matches(of: declarations) {
                let (_, name, literal, named, reference) = match.output
                let value = try #require(
                    literal ?? named.flatMap { raw[$0] } ?? reference.flatMap { values[$0] ?? nil }, "\(name)")
                let cell = value.isEmpty ? "| (empty) |" : "| `\(value)` |"
                #expect(lines.contains { $0.hasPrefix(cell) && $0.contains("`\(name)`") }, "\(name) = \(value)")
                count += 1
            }
        }
        #expect(count > 200)
    }
}
