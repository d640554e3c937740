import Testing

/// The page that leads strangers to the files is worth nothing with a path that has moved.
@Suite("Docs/Design/000-overview.md")
struct OverviewTests {
    private static let page = "Docs/Design/000-overview.md"

    /// The paths of the page, each once, in the order in which they come.
    static let paths: [String] = {
        var seen: Set<String> = []
        return paths(in: (try? Project.text(page)) ?? "").filter { seen.insert($0).inserted }
    }()

    /// Texts in backticks that look like a path of the repository: with a slash, or with the ending of a source or a
    /// page. Files of a device begin with `DEVICE`, and those of a machine with a slash.
    private static func paths(in text: String) -> [String] {
        text.matches(of: /`([^`\s]+)`/).map { String($0.output.1) }.filter { name in
            let isOfRepository = name.contains("/") || name.contains(/\.(?:swift|md|c|h)$/)
            return isOfRepository && !name.hasPrefix("DEVICE/") && !name.hasPrefix("/")
        }
    }

    @Test("is searched for paths of every form")
    func findsPaths() {
        let text = "`Sources/Gone.swift` and `Gone.md`, not `SecItemAdd`, `DEVICE/enclave/uid`, `/run/x` or `a b/c`"
        #expect(Self.paths(in: text) == ["Sources/Gone.swift", "Gone.md"])
        #expect(Self.paths.count > 80)
    }

    @Test("names only files and folders that exist", arguments: paths)
    func exists(_ path: String) {
        #expect(Project.exists(path), "\(path) has moved or is gone; correct \(Self.page)")
    }

    @Test("names each folder of the sources")
    func namesFolders() {
        let entries = Project.files(below: "Sources", suffix: "").map { $0.split(separator: "/") }
        let folders = Set(entries.filter { $0.count > 3 }.map { "Sources/\($0[1])/\($0[2])" })
        #expect(folders.count > 40)
        #expect(folders.subtracting(Self.paths).sorted() == [], "say in \(Self.page) what they are for")
    }

    @Test(
        "is linked from the first page and from the one for contributors", arguments: ["README.md", "CONTRIBUTING.md"])
    func isLinked(_ first: String) throws {
        #expect(try Project.text(first).contains("](\(Self.page))"))
    }
}
