import Foundation
import Testing

/// The imports between houses: the table of the page against the imports of the sources.
@Suite("The houses of Docs/Design/001-floors.md")
struct HouseTests {
    private struct Folder: Hashable {
        let house: String
        let name: String
    }

    private let page: String
    private let folders: [Folder]

    init() throws {
        page = try Project.text("Docs/Design/001-floors.md")
        let paths = Project.files(below: "Sources", suffix: "").map { $0.split(separator: "/").map(String.init) }
        folders = Set(paths.filter { $0.count > 3 }.map { Folder(house: $0[1], name: $0[2]) })
            .sorted { $0.name < $1.name }
    }

    /// Returns the lines between a line of the page and the next empty one behind its list or table.
    private func block(behind heading: String) throws -> [Substring] {
        let rest = try #require(page.components(separatedBy: heading).dropFirst().first, "no \"\(heading)\"")
        let text = rest.drop { $0 != "\n" }.drop { $0 == "\n" }
        return String(text).components(separatedBy: "\n\n")[0].split(separator: "\n")
    }

    /// The houses that each house imports besides itself.
    private func allowed() throws -> [String: Set<String>] {
        try block(behind: "| house |").dropFirst().reduce(into: [:]) { allowed, row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
            try #require(cells.count == 5, "\(row)")
            allowed[cells[1]] = Set(cells[3].split(separator: ",").map(String.init))
        }
    }

    /// The importers of each folder that the page excepts.
    private func excepted() throws -> [String: Set<String>] {
        let list = try block(behind: "Imports that the table does not allow").joined(separator: "\n")
        return try "\n\(list)".components(separatedBy: "\n- ").dropFirst().reduce(into: [:]) { excepted, line in
            let names = line.components(separatedBy: ":")[0].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            excepted[try #require(names.first, "\(line)")] = Set(names.dropFirst())
        }
    }

    /// The folders that the files of a folder import.
    private func imports(of folder: Folder) throws -> Set<Folder> {
        let modules = try Project.files(below: "Sources/\(folder.house)/\(folder.name)", suffix: ".swift").flatMap {
            file in
            try Project.text(file).matches(
                of: /(?m)^(?:@\w+(?:\(\w+\))? |public |package |internal )*import (?:struct |class |enum |func )?(\w+)/
            )
            .map { String($0.output.1) }
        }
        let names = Set(
            modules.flatMap { module in
                [module, module.replacing(/^Latchkey/, with: ""), module.replacing(/^CLatchkey/, with: "C")]
            })
        return Set(folders.filter { names.contains($0.name) && $0 != folder })
    }

    @Test("are those of the sources, and each has a page of its own")
    func complete() throws {
        #expect(folders.count > 40)
        let houses = try Set(allowed().keys)
        #expect(Set(folders.map(\.house)) == houses)
        for house in houses { #expect(Project.exists("Sources/\(house)/README.md"), "\(house)") }
    }

    @Test("name each of their folders on their page")
    func named() throws {
        for folder in folders {
            let text = try Project.text("Sources/\(folder.house)/README.md")
            #expect(text.contains("`\(folder.name)`"), "Sources/\(folder.house)/README.md does not name \(folder.name)")
        }
    }

    @Test("import the houses that the page says, and the folders that it excepts, and no others")
    func imported() throws {
        let allowed = try allowed()
        var imported = allowed.mapValues { _ in Set<String>() }
        var exceptions: [String: Set<String>] = [:]
        for folder in folders {
            for other in try imports(of: folder) where other.house != folder.house {
                if allowed[folder.house]?.contains(other.house) == true {
                    imported[folder.house]?.insert(other.house)
                } else {
                    exceptions[other.name, default: []].insert(folder.name)
                }
            }
        }
        #expect(imported == allowed)
        #expect(try exceptions == excepted())
    }
}
