import Testing

/// The first page of each library product in DocC. Building the documentation would tell a name that is gone as well,
/// but no other test builds it.
@Suite("The DocC catalogues")
struct CatalogueTests {
    /// Paths of the pages, `Sources/HOUSE/MODULE/MODULE.docc/MODULE.md`.
    static let pages = Project.files(below: "Sources", suffix: ".md").filter { $0.contains(".docc/") }

    private static func module(of page: String) -> String {
        String(page.split(separator: "/").last?.dropLast(".md".count) ?? "")
    }

    /// The names that a module declares for everybody: in its Swift files, or in the headers of a module of C.
    private static func names(ofModuleAt folder: String) throws -> Set<String> {
        let declaration =
            /(?:public|open) (?:[a-z]+(?:\([a-z]+\))? )*(?:func|let|var|typealias|class|struct|enum|protocol) (\w+)/
        var names: Set<String> = []
        for file in Project.files(below: folder, suffix: ".swift") {
            let text = try Project.text(file)
            names.formUnion(text.matches(of: declaration).map { String($0.output.1) })
            if text.contains("public init") { names.insert("init") }
        }
        for file in Project.files(below: folder, suffix: ".h") {
            let code = try Project.text(file).replacing(/\/\*(?s:.*?)\*\//, with: " ")
            names.formUnion(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }
        return names
    }

    /// The names of a link such as `VirtualDevice/lock(withGrace:)`: its types and members, without labels.
    private static func names(of link: Substring) -> [String] {
        link.split(separator: "/").map { String($0.prefix { $0 != "(" }) }
    }

    @Test("are there for each library of Package.swift")
    func complete() throws {
        let products = try Project.text("Package.swift").matches(of: /\.library\([^\[]*targets: \["(\w+)"/)
            .map { String($0.output.1) }
        #expect(products.count > 6)
        #expect(Set(Self.pages.map(Self.module)) == Set(products))
    }

    @Test("begin with the module, and have an abstract, an example and groups", arguments: pages)
    func form(_ page: String) throws {
        let text = try Project.text(page)
        #expect(text.hasPrefix("# ``\(Self.module(of: page))``\n\n"))
        for part in ["\n\n## Overview\n", "\n```swift\n", "\n\n## Topics\n\n### "] {
            #expect(text.contains(part), "\(page) has no \(part)")
        }
    }

    @Test("list names that their modules declare", arguments: pages)
    func declared(_ page: String) throws {
        let module = Self.module(of: page)
        let known = try Self.names(ofModuleAt: page.split(separator: "/").dropLast(2).joined(separator: "/"))
        let links = try Project.text(page).matches(of: /(?m)^- ``([^`]+)``$/).map(\.output.1)
        #expect(links.count > 1)
        for link in links {
            let missing = Self.names(of: link).filter { $0 != module && !known.contains($0) }
            #expect(missing == [], "\(page) lists \(link)")
        }
        #expect(Set(links).count == links.count, "\(page) lists a name twice")
    }
}
