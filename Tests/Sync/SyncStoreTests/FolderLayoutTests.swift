import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import Testing

/// The names of `Docs/Formats/sync.md`, "Folder".
@Suite("The folder of a circle")
struct FolderLayoutTests {
    @Test("has each object where the format says, and nothing else") func layout() throws {
        let fixture = try FolderFixture()
        let objects = SampleObjects.ofEachKind(by: fixture.device, seed: 0x1234)
        _ = try fixture.store.publish(objects, head: SampleObjects.object(.head), replacing: nil)
        let names = Array(objects.keys) + [.head(fixture.device)]
        for name in names {
            #expect(FileManager.default.fileExists(atPath: fixture.path(of: name)), "\(name)")
        }
        #expect(try fixture.files().count == names.count, "no temporary file is left")
        let device = "01010101010101010101010101010101"
        #expect(try fixture.files().contains("a/\(device)/00000000000012/0000000000001234"))
        #expect(try fixture.files().contains("n/\(device)/0000000000001234/0001"))
        #expect(try fixture.files().contains("h/\(device)"))
    }

    @Test("has at most 256 segments in a folder, and no empty ones") func groups() throws {
        let fixture = try FolderFixture()
        let names = (UInt64(250)...260).map { SampleObjects.segment($0, of: fixture.device) }
        for name in names { try fixture.store.create([name: SampleObjects.object(.segment)]) }
        let folder = fixture.root + "/c/\(fixture.device)"
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 2)
        #expect(try fixture.store.list(fixture.segment.prefix).names == names)
        try fixture.store.remove(Array(names.prefix(6)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
    }

    @Test("has names of one form") func names() throws {
        let device = SampleObjects.device(1)
        var names = Array(SampleObjects.ofEachKind(by: device, seed: 77).keys) + [.head(device)]
        names.append(.headCopy(device, try #require(ConflictTag("20261125-163000-ABCDEFG"))))
        for name in names {
            #expect(StoreObjectName(name.description) == name)
            #expect(ObjectPrefix(text: name.prefix.text) == name.prefix)
            #expect(name.description.hasPrefix(name.prefix.text))
            #expect(StoreObjectName(name.description + "0") == nil && StoreObjectName(name.description + "/") == nil)
            #expect(StoreObjectName("/" + name.description) == nil)
        }
        let digits = String(repeating: "a", count: 32)
        for text in [
            "", "/", "h", "h/", "h/\(digits)/", "h/\(digits.uppercased())", "h/../\(digits)", "x/\(digits)",
            "s/\(digits)",
            "a/\(digits)", "a/\(digits)/1", "a/\(digits)/0000000000000000", "a/\(digits)/-000000000000001",
            "a/\(digits)/+000000000000001", "n/\(digits)/0000000000000001/03e8", "n/\(digits)/0000000000000001",
            "h/\(digits).sync-conflict-20261125-163000-abcdefg", "h/\(digits).sync-conflict-2026112-163000-ABCDEFG",
            "h/\(digits).sync-conflict-", "h/\(digits)\u{301}", "q/\(digits)\u{0}",
        ] {
            #expect(StoreObjectName(text) == nil, "\(text)")
        }
    }

    @Test("lists conflict copies of heads as second heads") func copies() throws {
        let fixture = try FolderFixture()
        let name = StoreObjectName.head(fixture.device)
        _ = try fixture.store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        let second = SampleObjects.object(.head, seed: 2)
        try fixture.write(second, to: fixture.path(of: name) + ".sync-conflict-20261125-163000-ABCDEFG")
        let copy = StoreObjectName.headCopy(
            fixture.device, try #require(ConflictTag("20261125-163000-ABCDEFG")))
        #expect(try fixture.store.list(.heads).names == [name, copy])
        #expect(try holds(fixture.store, [copy: second]))
        try fixture.store.remove([copy])
        #expect(try fixture.store.list(.heads).names == [name])
        for number in 10..<30 {
            try fixture.write(second, to: fixture.path(of: name) + ".sync-conflict-20261125-1630\(number)-ABCDEFG")
        }
        let listing = try fixture.store.list(.heads)
        #expect(listing.names.count == 17 && listing.foreignCount == 4 && !listing.isComplete)
    }

    @Test("is beside those of other circles") func circles() throws {
        let fixture = try FolderFixture()
        #expect(try fixture.circles.circles() == [])
        let others = [SampleObjects.circle(9), SampleObjects.circle(3)]
        for circle in others {
            try fixture.circles.store(of: circle, writer: fixture.device)
                .create([fixture.segment: SampleObjects.object(.segment)])
        }
        try fixture.makeFolder(fixture.directory.path + "/latchkey-sync/lost+found")
        try fixture.write([1], to: fixture.directory.path + "/latchkey-sync/\(SampleObjects.circle(1))")
        #expect(try fixture.circles.circles() == others.sorted())
        #expect(try fixture.store.list(fixture.segment.prefix).names == [])
    }

    @Test("is as open as the folder that the user chose") func permissions() throws {
        let fixture = try FolderFixture()
        chmod(fixture.directory.path, 0o2775)
        let former = umask(0o077)
        defer { umask(former) }
        _ = try fixture.store.publish(
            [fixture.segment: SampleObjects.object(.segment)], head: SampleObjects.object(.head), replacing: nil)
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
        }
        #expect(mode(fixture.path(of: fixture.segment)) == 0o664)
        #expect(mode(fixture.path(of: .head(fixture.device))) == 0o664)
        #expect(mode(fixture.root) == 0o775 && mode(fixture.root + "/c/\(fixture.device)") == 0o775)
    }
}
