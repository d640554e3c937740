import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Entries that no release writes: other programs, or an attacker, may put anything into a folder.
@Suite("A folder with hostile content")
struct HostileFolderTests {
    /// An entry in the place of an object.
    enum Entry: CaseIterable {
        case linkToFile, linkToNothing, pipe, folder, hugeFile, emptyFile
    }

    private func put(_ entry: Entry, at path: String, _ fixture: FolderFixture) throws {
        switch entry {
        case .linkToFile:
            let target = try fixture.directory.file("outside", SampleObjects.object(.segment, seed: 5))
            try #require(symlink(target, path) == 0)
        case .linkToNothing: try #require(symlink("/nowhere", path) == 0)
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .folder: try fixture.makeFolder(path + "/inner")
        case .hugeFile:
            try fixture.write([], to: path)
            try #require(truncate(path, 1 << 40) == 0)
        case .emptyFile: try fixture.write([], to: path)
        }
    }

    @Test("reads files alone, and never follows a link or waits for a pipe", arguments: Entry.allCases)
    func entries(_ entry: Entry) throws {
        let fixture = try FolderFixture()
        let next = SampleObjects.segment(2, of: fixture.device)
        try fixture.store.create([next: SampleObjects.object(.segment)])
        let path = fixture.path(of: fixture.segment)
        try put(entry, at: path, fixture)
        let reading = try fixture.store.read([fixture.segment, next])
        #expect(Set(reading.objects.keys) == [next])
        #expect(reading.damaged == (entry == .emptyFile ? [] : [fixture.segment]))
        let listing = try fixture.store.list(next.prefix)
        let isFile = entry == .hugeFile || entry == .emptyFile
        #expect(listing.names == (isFile ? [fixture.segment, next] : [next]))
        #expect(listing.foreignCount == (isFile ? 0 : 1))
    }

    @Test("writes an object in the place of anything but a folder", arguments: Entry.allCases)
    func replaces(_ entry: Entry) throws {
        let fixture = try FolderFixture()
        try fixture.store.create([SampleObjects.segment(2, of: fixture.device): SampleObjects.object(.segment)])
        try put(entry, at: fixture.path(of: fixture.segment), fixture)
        let bytes = SampleObjects.object(.segment, seed: 9)
        if entry == .folder {
            #expect(throws: StoreFailure.refused(.obstructed)) { try fixture.store.create([fixture.segment: bytes]) }
        } else {
            try fixture.store.create([fixture.segment: bytes])
            #expect(try holds(fixture.store, [fixture.segment: bytes]))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.root + "/tmp/\(fixture.device)") == [])
        if entry == .linkToFile {
            let outside = FileManager.default.contents(atPath: fixture.directory.path("outside"))
            #expect(outside.map(Array.init) == SampleObjects.object(.segment, seed: 5), "nothing was written outside")
        }
    }

    @Test("does not leave the folder through links in the place of folders", arguments: ["h", "c", "tmp", "s/0"])
    func links(_ name: String) throws {
        let fixture = try FolderFixture()
        let outside = fixture.directory.path("outside")
        try fixture.makeFolder(outside)
        try fixture.makeFolder(fixture.root + "/s")
        try #require(symlink(outside, fixture.root + "/" + name) == 0)
        let statement = StoreObjectName.statement(ObjectHash(words: (0, 0, 0, 1)))
        #expect(throws: StoreFailure.refused(.obstructed)) {
            _ = try fixture.store.publish(
                [fixture.segment: SampleObjects.object(.segment), statement: SampleObjects.object(.statement)],
                head: SampleObjects.object(.head), replacing: nil)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == [])
        try fixture.write(SampleObjects.object(.head), to: outside + "/\(fixture.device)")
        if name == "h" {
            #expect(throws: StoreFailure.refused(.obstructed)) { _ = try fixture.store.list(.heads) }
        }
    }

    @Test("ignores and counts foreign names") func foreign() throws {
        let fixture = try FolderFixture()
        _ = try fixture.store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        let heads = fixture.root + "/h/"
        for name in [
            ".syncthing.\(fixture.device).tmp", "\(fixture.device).tmp", "FF", "\(fixture.device)~",
            String(repeating: "A", count: 32), String(repeating: "x", count: 255), "\u{202E}", "a\nb",
        ] {
            try fixture.write([1], to: heads + name)
        }
        // Not a text in any encoding.
        let odd = Array(heads.utf8CString.dropLast()) + [-1, -2, 0]
        close(open(odd, O_WRONLY | O_CREAT, 0o600))
        let listing = try fixture.store.list(.heads)
        #expect(listing == StoreListing(names: [.head(fixture.device)], foreignCount: 9))
    }

    @Test("looks at a limited number of entries") func many() throws {
        let fixture = try FolderFixture()
        _ = try fixture.store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        for number in 0..<5_000 { close(open(fixture.root + "/h/x\(number)", O_WRONLY | O_CREAT, 0o600)) }
        let listing = try fixture.store.list(.heads)
        #expect(!listing.isComplete && listing.foreignCount + listing.names.count == 4_096)
        #expect(try fixture.store.waitForHint(until: Cancellation(seconds: 0)) == .changed)
        #expect(try fixture.store.read([.head(fixture.device)]).objects.count == 1)
    }

    @Test("removes nothing but objects") func removal() throws {
        let fixture = try FolderFixture()
        try fixture.store.create([SampleObjects.segment(2, of: fixture.device): SampleObjects.object(.segment)])
        try put(.folder, at: fixture.path(of: fixture.segment), fixture)
        #expect(throws: StoreFailure.refused(.obstructed)) { try fixture.store.remove([fixture.segment]) }
        #expect(FileManager.default.fileExists(atPath: fixture.path(of: fixture.segment) + "/inner"))
    }

    @Test("does not take junk beside the heads for a change") func junk() throws {
        let fixture = try FolderFixture()
        _ = try fixture.store.publish([:], head: SampleObjects.object(.head), replacing: nil)
        _ = try fixture.store.waitForHint(until: Cancellation(seconds: 0))
        try fixture.write([1], to: fixture.root + "/h/.syncthing.x.tmp")
        #expect(try fixture.store.waitForHint(until: Cancellation(seconds: 0)) == .none)
    }
}
