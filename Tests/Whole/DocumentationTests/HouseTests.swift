import Foundation
import Testing

/// Which house imports which: the table of the page against the imports of the sources.
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

    /// The houses that each house imports besides itself.
    private var allowed: [String: Set<String>] {
        let table = page.components(separatedBy: "| house |").dropFirst().first ?? ""
        let rows = table.components(separatedBy: "\n\n")[0].split(separator: "\n").dropFirst(2)
        return rows.reduce(into: [:]) { allowed, row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            let imported = cells[3].split(separator: ",").map { $0.filter { $0 != " " } }
            allowed[cells[1].filter { $0 != " " }] = Set(imported.filter { !$0.isEmpty })
        }
    }

    /// The importers of each folder that the page excepts.
    private var excepted: [String: Set<String>] {
        let list = page.components(separatedBy: "Imports of other houses").dropFirst().first ?? ""
        return list.components(separatedBy: "\n- ").dropFirst().reduce(into: [:]) { excepted, line in
            let names = line.components(separatedBy: ":")[0].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            excepted[names[0]] = Set(names.dropFirst())
        }
    }

    /// The folders that the files of a folder import.
    private func imports(of folder: Folder) throws -> Set<Folder> {
        let modules = try Project.files(below: "Sources/\(folder.house)/\(folder.name)", suffix: ".swift").flatMap {
            file in
            try Project.text(file).matches(of: /(?m)^(?:@\w+ |public |package |internal )*import (\w+)/)
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
        #expect(Set(folders.map(\.house)) == Set(allowed.keys))
        for house in allowed.keys { #expect(Project.exists("Sources/\(house)/README.md"), "\(house)") }
    }

    @Test("name each of their folders on their page")
    func named() throws {
        for folder in folders {
            let text = try Project.text("Sources/\(folder.house)/README.md")
            #expect(text.contains("`\(folder.name)`"), "Sources/\(folder.house)/README.md does not name \(folder.name)")
        }
    }

    @Test("import no others than the page says, and what it excepts is still so")
    func imported() throws {
        var exceptions: [String: Set<String>] = [:]
        var count = 0
        for folder in folders {
            for other in try imports(of: folder) {
                count += 1
                guard other.house != folder.house, allowed[folder.house]?.contains(other.house) != true else {
                    continue
                }
                exceptions[other.name, default: []].insert(folder.name)
            }
        }
        #expect(count > 150)
        #expect(exceptions == excepted)
    }
}
