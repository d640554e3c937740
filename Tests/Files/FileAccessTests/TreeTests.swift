import Foundation
import Glibc
import LatchkeyFileAccess
import LatchkeyKeybag
import Testing

@Suite("Trees of files")
struct TreeTests {
    /// A tree with an entry of every kind.
    private static func folder() throws -> FileFolder {
        let folder = try FileFolder()
        for name in ["a", "a/b", "excluded"] {
            try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
        }
        for (name, count) in [("one", 10), ("a/two", 20), ("a/b/three", 30), ("excluded/four", 40), ("a/linked", 5)] {
            try folder.write(FileFolder.bytes(count), name)
        }
        try #require(link(folder.path("a/linked"), folder.path("other")) == 0)
        try #require(symlink("a", folder.path("link")) == 0)
        try #require(mkfifo(folder.path("pipe"), 0o600) == 0)
        // A name that is not UTF-8.
        let name: [CChar] = folder.path("x").utf8.map { CChar(bitPattern: $0) } + [-1, 0]
        close(open(name, O_CREAT | O_WRONLY, 0o600))
        try folder.vault.setProtection(.completeUnlessOpen, ofItemAt: folder.path("a/two"))
        return folder
    }

    private static func isExcluded(_ directory: OpenDirectory) -> Bool { directory.path.hasSuffix("/excluded") }

    @Test("are counted by what can be done with them")
    func plan() throws {
        let folder = try Self.folder()
        let plan = try TreePlan(FileTree(folder.path), excluding: Self.isExcluded) { _ in true }
        #expect(plan.clear.files == 3)
        #expect(plan.clear.bytes == 40)
        #expect(plan.directories == 3)
        #expect(plan.protected.keys.count == 1)
        #expect(plan.protected[.completeUnlessOpen]?.bytes == 20)
        #expect(plan.left.mapValues(\.count) == [.link: 1, .special: 1, .otherNames: 2, .device: 1])
        #expect(plan.left[.link]?.examples == [folder.path("link")])
    }

    @Test("get a class, are changed, checked and stored in clear again")
    func work() throws {
        let folder = try Self.folder()
        let before = try folder.content("a/b/three")
        func run(_ deed: TreeWork.Deed) throws -> [String] {
            var events: [String] = []
            try TreeWork(deed, folder.vault) { event in
                switch event {
                case .advanced, .passed: break
                case .done(let place): events.append(place?.name.text ?? "directory")
                case .left: events.append("left")
                case .failed(let path, let failure): events.append("\(path): \(failure)")
                case .damaged(let place, _): events.append("damaged \(place.path)")
                }
                return true
            }.run(on: FileTree(folder.path), excluding: Self.isExcluded)
            return events.filter { $0 != "left" }
        }
        let all = ["directory", "directory", "directory", "three", "one", "x\u{FFFD}"]
        #expect(try run(.protect(.complete, changesOthers: false)) == all)
        #expect(try run(.protect(.complete, changesOthers: false)) == [], "there is nothing more to do")
        #expect(try StoredProtection.ofItem(at: folder.path("a/two")) == .completeUnlessOpen)
        #expect(try StoredProtection.ofItem(at: folder.path("a/b")) == .complete)
        #expect(DirectoryProtection.inherited(byItemAt: folder.path("a/b/new")) == .complete)
        #expect(try run(.protect(.complete, changesOthers: true)) == ["two"])
        #expect(try run(.check) == ["three", "two", "one", "x\u{FFFD}"])
        #expect(try run(.unprotect).sorted() == (all + ["two"]).sorted())
        #expect(try folder.stored("a/b/three") == before)
        #expect(try StoredProtection.ofItem(at: folder.path("a")) == nil)
        #expect(try folder.stored("excluded/four") == FileFolder.bytes(40))
    }

    @Test("end where the visitor wants no more")
    func ends() throws {
        let folder = try Self.folder()
        var count = 0
        try TreeWork(.protect(.complete, changesOthers: false), folder.vault) { event in
            if case .done(let place?) = event { count += place.name.text.isEmpty ? 0 : 1 }
            return count < 1
        }.run(on: FileTree(folder.path), excluding: Self.isExcluded)
        #expect(count == 1)
        let plan = try TreePlan(FileTree(folder.path), excluding: Self.isExcluded) { _ in true }
        #expect(plan.clear.files == 2)
    }

    @Test(
        "report as many bytes as their plan has, also of files whose class alone is changed", arguments: [false, true])
    func progress(_ reclass: Bool) throws {
        let folder = try Self.folder()
        try folder.vault.setProtection(.complete, ofItemAt: folder.path("a/b/three"))
        let plan = try TreePlan(FileTree(folder.path), excluding: Self.isExcluded) { _ in true }
        var (bytes, passed): (UInt64, [UInt64]) = (0, [])
        try TreeWork(.protect(.complete, changesOthers: reclass), folder.vault) { event in
            switch event {
            case .advanced(let count): bytes += UInt64(count)
            case .passed(let count): passed.append(count)
            default: break
            }
            return true
        }.run(on: FileTree(folder.path), excluding: Self.isExcluded)
        #expect(passed.sorted() == (reclass ? [20, 30] : []))
        #expect(bytes + passed.reduce(0, +) == plan.byteCount(reclass: reclass))
        #expect(plan.byteCount(reclass: reclass) == (reclass ? 60 : 10))
    }

    @Test("with a link in the place of a directory lead nowhere else")
    func swappedDirectory() throws {
        let folder = try Self.folder()
        let outside = try FileFolder()
        try outside.write([1], "one")
        try TreeWork(.protect(.complete, changesOthers: false), folder.vault) { event in
            // When the directory above is done, before this one is entered.
            if case .done(nil) = event, folder.status("a").st_mode & S_IFMT == S_IFDIR {
                rename(folder.path("a"), folder.path("moved"))
                symlink(outside.path, folder.path("a"))
            }
            return true
        }.run(on: FileTree(folder.path), excluding: Self.isExcluded)
        #expect(try outside.stored("one") == [1])
    }
}
