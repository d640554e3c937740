import LatchkeyFileSystemTesting
import Testing

/// Random operations on names.
@Suite struct FileSystemTreeTests {
    @Test("a tree in a temporary directory is like its model", arguments: [1, 2, 3] as [UInt64])
    func tree(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try FileSystemTree(seed: seed).run(in: directory.path)
        #expect(try TestDirectory(directory.path).names() == [])
    }

    @Test("trees of several threads are like their models")
    func threads() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var tree = FileSystemTree(seed: 11)
        tree.threads = 4
        tree.operations = 600
        try tree.run(in: directory.path)
    }

    /// A wrong act of a file system on a name.
    enum Damage: CaseIterable {
        case lost, added, exchanged
    }

    @Test("damage between two operations is found, and the seed is told", arguments: Damage.allCases)
    func damaged(_ damage: Damage) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let error = #expect(throws: FileSystemShadow.Mismatch.self) {
            try FileSystemTree(seed: 31).run(in: directory.path) { directory in
                let top = try #require(try directory.names().first)
                let names = try directory.names(top)
                let (one, other) = (try #require(names.first), try #require(names.last))
                switch damage {
                case .lost: try directory.rename(top / one, "elsewhere")
                case .added: try directory.create(top / "added")
                case .exchanged: try directory.rename(top / one, top / other, .exchanging)
                }
            }
        }
        #expect(error?.description.contains("seed 31") == true)
    }
}
