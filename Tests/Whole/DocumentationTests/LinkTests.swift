import Testing

@Suite("The documentation's links")
struct LinkTests {
    struct Link: Sendable, CustomTestStringConvertible {
        let page: String
        let target: String

        var testDescription: String { "\(page) -> \(target)" }
    }

    /// Links between files of the project, from all Markdown files; addresses on the network are not followed.
    static let links: [Link] = Project.files(below: "", suffix: ".md").flatMap { page in
        ((try? Project.text(page)) ?? "").matches(of: /\]\(([^)\s]+)\)/)
            .map { Link(page: page, target: String($0.output.1)) }
            .filter { !$0.target.contains("://") && !$0.target.hasPrefix("mailto:") }
    }

    @Test("are found")
    func thereAreSome() {
        #expect(Self.links.count > 10)
    }

    @Test("lead somewhere", arguments: links)
    func leadSomewhere(_ link: Link) throws {
        let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0].isEmpty ? link.page : Self.path(of: String(parts[0]), from: link.page)
        #expect(Project.exists(path), "there is no \(path)")
        guard parts.count == 2, path.hasSuffix(".md") else { return }
        let headings = try Project.text(path).split(separator: "\n").filter { $0.hasPrefix("#") }.map(Self.anchor)
        #expect(headings.contains(String(parts[1])), "\(path) has no heading #\(parts[1])")
    }

    /// A relative target against the directory of its page.
    private static func path(of target: String, from page: String) -> String {
        var parts = page.split(separator: "/").dropLast().map(String.init)
        for part in target.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }

    /// The name under which a heading can be linked to: lower case, words and hyphens only.
    private static func anchor(_ heading: Substring) -> String {
        heading.drop { $0 == "#" }.drop { $0 == " " }.lowercased()
            .filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
            .replacing(" ", with: "-")
    }
}
