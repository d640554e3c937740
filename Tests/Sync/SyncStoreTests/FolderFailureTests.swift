import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Folders that are missing, full, or not for writing, and writers that are ended.
@Suite("A folder that fails")
struct FolderFailureTests {
    private let object = SampleObjects.object(.segment)
    private let head = SampleObjects.object(.head)

    @Test("is never made, and is used again when it is back") func missing() throws {
        let fixture = try FolderFixture()
        try fixture.store.create([fixture.segment: object])
        let (path, away) = (fixture.directory.path, fixture.directory.path + "-away")
        try #require(rename(path, away) == 0)
        defer { _ = rename(away, path) }
        let name = fixture.segment
        let failure = StoreFailure.unreachable(.folderMissing)
        #expect(throws: failure) { _ = try fixture.store.list(name.prefix) }
        #expect(throws: failure) { _ = try fixture.store.read([name]) }
        #expect(throws: failure) { try fixture.store.create([name: object]) }
        #expect(throws: failure) { _ = try fixture.store.publish([:], head: head, replacing: nil) }
        #expect(throws: failure) { try fixture.store.remove([name]) }
        #expect(throws: failure) { _ = try fixture.store.waitForHint(until: Cancellation(seconds: 0)) }
        #expect(throws: failure) { _ = try fixture.circles.circles() }
        #expect(!FileManager.default.fileExists(atPath: path))
        try fixture.write([], to: path)
        #expect(throws: failure) { _ = try fixture.store.list(name.prefix) }
        unlink(path)
        try #require(rename(away, path) == 0)
        #expect(try holds(fixture.store, [name: object]))
        try fixture.store.create([SampleObjects.segment(2, of: fixture.device): object])
    }

    @Test("shows changes after it was replaced by another one") func replaced() throws {
        var options = FolderOptions()
        options.localPollSeconds = 0.01
        let fixture = try FolderFixture(options)
        let other = SampleObjects.device(2)
        let writer = FolderStore(in: fixture.directory.path, circle: StoreWorld.circle, writer: other)
        let mark = try writer.publish([:], head: head, replacing: nil)
        _ = try fixture.store.waitForHint(until: Cancellation(seconds: 0))
        #expect(try fixture.store.waitForHint(until: Cancellation(seconds: 0)) == .none)
        let top = fixture.directory.path + "/latchkey-sync"
        try FileManager.default.copyItem(atPath: top, toPath: top + "-copy")
        try FileManager.default.removeItem(atPath: top)
        try #require(rename(top + "-copy", top) == 0)
        // The copies are other files.
        #expect(try fixture.store.waitForHint(until: Cancellation()) == .changed)
        _ = try writer.publish([:], head: SampleObjects.object(.head, seed: 2), replacing: mark)
        #expect(try fixture.store.waitForHint(until: Cancellation()) == .changed)
    }

    @Test(
        "reports a full disk, and works when there is room",
        .needsMounts)
    func full() throws {
        let disk = try SmallDisk(megabytes: 1)
        let device = SampleObjects.device(1)
        let store = FolderStore(in: disk.path, circle: StoreWorld.circle, writer: device)
        let (first, second) = (SampleObjects.segment(1, of: device), SampleObjects.segment(2, of: device))
        _ = try store.publish([first: object], head: head, replacing: nil)
        try disk.fill()
        let next = SampleObjects.object(.head, seed: 2)
        #expect(throws: StoreFailure.refused(.full)) {
            _ = try store.publish([second: object], head: next, replacing: HeadMark(of: head))
        }
        #expect(try holds(store, [first: object, .head(device): head]))
        #expect(try store.list(second.prefix) == StoreListing(names: [first]))
        // Removing works on a full disk, and makes room.
        try store.remove([first])
        disk.empty()
        _ = try store.publish([second: object], head: next, replacing: HeadMark(of: head))
        let circle = disk.path + "/latchkey-sync/\(StoreWorld.circle)"
        #expect(try FileManager.default.contentsOfDirectory(atPath: circle + "/tmp/\(device)") == [])
    }

    @Test("reports a disk that is read only", .needsMounts)
    func readOnly() throws {
        let disk = try SmallDisk(megabytes: 1)
        let device = SampleObjects.device(1)
        let store = FolderStore(in: disk.path, circle: StoreWorld.circle, writer: device)
        let name = SampleObjects.segment(1, of: device)
        try store.create([name: object])
        try disk.makeReadOnly()
        defer { try? disk.makeWritable() }
        #expect(throws: StoreFailure.refused(.readOnly)) {
            try store.create([SampleObjects.segment(2, of: device): object])
        }
        #expect(throws: StoreFailure.refused(.readOnly)) { try store.remove([name]) }
        #expect(throws: StoreFailure.refused(.readOnly)) { _ = try store.publish([:], head: head, replacing: nil) }
        #expect(try holds(store, [name: object]))
    }

    @Test("loses the temporary files of writers that ended, and no others") func temporaries() throws {
        let fixture = try FolderFixture()
        let own = fixture.root + "/tmp/\(fixture.device)"
        let others = fixture.root + "/tmp/\(SampleObjects.device(2))"
        for folder in [own, others] { try fixture.makeFolder(folder) }
        func file(_ path: String, secondsOld: Int) throws {
            try fixture.write([1], to: path)
            let time = timespec(tv_sec: time(nil) - secondsOld, tv_nsec: 0)
            try #require(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
        }
        try file(own + "/00000000000000aa", secondsOld: 7200)
        try file(own + "/00000000000000bb", secondsOld: 600)
        try file(own + "/note.txt", secondsOld: 7200)
        try file(others + "/00000000000000aa", secondsOld: 7200)
        try fixture.store.create([fixture.segment: object])
        let left = try FileManager.default.contentsOfDirectory(atPath: own).sorted()
        #expect(left == ["00000000000000bb", "note.txt"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: others) == ["00000000000000aa"])
    }

    @Test("is whole after kills, losses of power and failing calls", arguments: ["kills", "power", "faults"])
    func faults(_ kind: String) throws {
        let outcome = try Program.run([Program.built("store-check"), kind])
        #expect(outcome.status == 0, "\(String(decoding: outcome.output, as: UTF8.self)) \(outcome.complaints)")
    }

    @Test("takes the writes of two processes") func processes() throws {
        let fixture = try FolderFixture()
        let program = try Program.built("store-check")
        let folder = fixture.directory.path
        let writers = (UInt8(1)...2).map { device in
            Pending { try? Program.run([program, "write", folder, "\(device)", "30"]).status }
        }
        for writer in writers { #expect(writer.value == 0) }
        let store = FolderStore(in: folder, circle: SampleObjects.circle(2), writer: fixture.device)
        #expect(try store.list(.statements).names.count == 30)
        for device in (UInt8(1)...2).map(SampleObjects.device) {
            let names = try store.list(.segments(StreamIdentifier(device, .c))).names
            #expect(names == (1...30).map { SampleObjects.segment($0, of: device) })
            #expect(try store.readAll(names + [.head(device)]).objects.count == 31)
        }
    }
}
