import Testing

@Suite("Docs/Formats")
struct FormatTests {
    private static func formats() throws -> String {
        try Project.files(below: "Docs/Formats", suffix: ".md").map(Project.text).joined(separator: "\n")
    }

    @Test("names the magic of every file that the sources write")
    func magics() throws {
        let used = try Project.files(below: "Sources", suffix: ".swift").reduce(into: Set<String>()) { magics, path in
            magics.formUnion(try Project.text(path).matches(of: /"(LK[A-Z]{2})"/).map { String($0.output.1) })
        }
        let formats = try Self.formats()
        #expect(used.count >= 4)
        for magic in used.sorted() { #expect(formats.contains(magic), "\(magic) is described nowhere") }
    }

    @Test("describes only magics that the sources have")
    func noOthers() throws {
        let sources = try Project.files(below: "Sources", suffix: ".swift").map(Project.text).joined()
        for match in try Self.formats().matches(of: /\bLK[A-Z]{2}\b/) {
            #expect(sources.contains(match.output), "\(match.output) is described, but no source has it")
        }
    }

    @Test(
        "has each of its pages named by a source or another page",
        arguments: Project.files(below: "Docs/Formats", suffix: ".md"))
    func pagesAreReachable(_ page: String) throws {
        let name = page.split(separator: "/").last.map(String.init) ?? page
        let others =
            Project.files(below: "Docs", suffix: ".md") + ["README.md"]
            + Project.files(below: "Sources", suffix: ".swift")
        #expect(
            try others.filter { $0 != page && $0 != "Docs/Formats/README.md" }.contains {
                try Project.text($0).contains(name)
            })
    }
}
