import Foundation
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Programs that carry a folder from one machine to another.
@Suite("A folder that another program carries")
struct CarrierTests {
    private let one = SampleObjects.device(1)
    private let other = SampleObjects.device(2)
    private static let circle = StoreWorld.circle

    private func store(_ device: DeviceIdentifier, in folder: String) -> FolderStore {
        FolderStore(in: folder, circle: Self.circle, writer: device)
    }

    private func publish(_ device: DeviceIdentifier, in folder: String, _ number: UInt64) throws {
        let store = store(device, in: folder)
        let former = try store.read([.head(device)]).objects[.head(device)].map { HeadMark(of: $0) }
        _ = try store.publish(
            [
                SampleObjects.segment(number, of: device): SampleObjects.object(.segment, seed: number),
                .statement(SampleObjects.hash(number)): SampleObjects.object(.statement, seed: number),
            ], head: SampleObjects.object(.head, seed: number), replacing: former)
    }

    private func expectPublished(_ device: DeviceIdentifier, in folder: String, _ number: UInt64) throws {
        let names = [.head(device), SampleObjects.segment(number, of: device), .statement(SampleObjects.hash(number))]
        let reading = try store(self.other, in: folder).read(names)
        #expect(reading.objects.count == names.count && reading.damaged.isEmpty)
        let isNewest = reading.objects[.head(device)] == SampleObjects.object(.head, seed: number)
        #expect(isNewest, "the head")
    }

    private func run(_ command: String...) throws {
        let outcome = try Program.run(
            command, environment: ["GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"])
        try #require(outcome.status == 0, "\(command): \(outcome.complaints)")
    }

    // Without `--checksum` rsync leaves out a head of the same size that was written in the same second.
    @Test(
        "rsync: copied back and forth",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/rsync"), "needs the package rsync"))
    func rsync() throws {
        let directory = try TemporaryDirectory()
        let (first, second) = (directory.path("first"), directory.path("second"))
        for folder in [first, second] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        for number in UInt64(1)...3 {
            try publish(one, in: first, number)
            try directory.file("first/latchkey-sync/\(Self.circle)/tmp/\(one)/0123456789abcdef", [1, 2, 3])
            try run("rsync", "-ac", "--exclude=/latchkey-sync/*/tmp", first + "/", second + "/")
            try expectPublished(one, in: second, number)
            try publish(other, in: second, 10 + number)
            try run("rsync", "-ac", "--exclude=/latchkey-sync/*/tmp", second + "/", first + "/")
            try expectPublished(other, in: first, 10 + number)
        }
        let strays = try FileManager.default.contentsOfDirectory(
            atPath: second + "/latchkey-sync/\(Self.circle)/tmp")
        #expect(strays == ["\(other)"], "temporary files are not carried")
    }

    @Test("a copy that is half done shows whole objects alone") func half() throws {
        let fixture = try FolderFixture()
        let bytes = SampleObjects.object(.segment, bodyByteCount: 10_000)
        try fixture.store.create([SampleObjects.segment(2, of: fixture.device): bytes])
        // As copying programs write that make the file first: a beginning, or the length and then the content.
        for count in stride(from: 0, to: bytes.count, by: 997) {
            for half in [
                Array(bytes.prefix(count)), bytes.prefix(count) + [UInt8](repeating: 0, count: bytes.count - count),
            ] {
                try fixture.write(half, to: fixture.path(of: fixture.segment))
                let reading = try fixture.store.read([fixture.segment])
                #expect(reading.objects.isEmpty || StoredSignature.isUnfinished(half, of: bytes), "\(count)")
            }
        }
        try fixture.write(bytes, to: fixture.path(of: fixture.segment))
        #expect(try holds(fixture.store, [fixture.segment: bytes]))
    }

    @Test("git: pushed and pulled through a repository in between") func git() throws {
        let directory = try TemporaryDirectory()
        let (hub, first, second) = (directory.path("hub"), directory.path("first"), directory.path("second"))
        try run("git", "init", "-q", "--bare", "-b", "main", hub)
        try run("git", "clone", "-q", hub, first)
        try publish(one, in: first, 1)
        func push(_ folder: String) throws {
            try run("git", "-C", folder, "add", "-A", "--", "latchkey-sync", ":!*/tmp/*")
            try run(
                "git", "-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "x")
            try run("git", "-C", folder, "push", "-q", "origin", "HEAD:main")
        }
        try push(first)
        try run("git", "clone", "-q", hub, second)
        try expectPublished(one, in: second, 1)
        // Both write before either has the other's objects: with one writer for each object nothing is in conflict.
        try publish(other, in: second, 11)
        try push(second)
        try publish(one, in: first, 2)
        try run("git", "-C", first, "add", "-A", "--", "latchkey-sync", ":!*/tmp/*")
        try run("git", "-C", first, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-q", "-m", "y")
        try run(
            "git", "-C", first, "-c", "user.name=t", "-c", "user.email=t@example.org", "pull", "-q", "--rebase",
            "origin", "main")
        try run("git", "-C", first, "push", "-q", "origin", "HEAD:main")
        try run("git", "-C", second, "pull", "-q", "origin", "main")
        for folder in [first, second] {
            try expectPublished(one, in: folder, 2)
            try expectPublished(other, in: folder, 11)
        }
    }

    @Test(
        "Syncthing: objects arrive, and a head that two wrote becomes a second head",
        .enabled(if: SyncthingPair.isInstalled, "needs the package syncthing (apt-get install syncthing)"),
        .timeLimit(.minutes(3)))
    func syncthing() throws {
        let pair = try SyncthingPair()
        let folders = pair.folders
        try publish(one, in: folders[0], 1)
        try pair.start()
        try publish(other, in: folders[1], 11)
        for number in UInt64(2)...4 { try publish(one, in: folders[0], number) }
        // Files come late and in any order: the head says what to wait for.
        let expected =
            [StoreObjectName.head(one)] + (1...4).map { SampleObjects.segment($0, of: one) }
            + (1...4).map { .statement(SampleObjects.hash($0)) }
        eventually {
            let reading = try? store(other, in: folders[1]).read(expected)
            return reading?.objects.count == expected.count
                && reading?.objects[.head(one)] == SampleObjects.object(.head, seed: 4)
        }
        eventually { (try? store(one, in: folders[0]).read([.head(other)]).objects.count) == 1 }
        try expectPublished(one, in: folders[1], 4)
        #expect(try store(other, in: folders[1]).list(.heads).names == [.head(one), .head(other)])
        pair.stop()
        // The device runs twice, and both copies write.
        try publish(one, in: folders[0], 5)
        try publish(one, in: folders[1], 6)
        try pair.start()
        eventually {
            folders.allSatisfy { folder in
                let names = (try? store(other, in: folder).list(.heads).names) ?? []
                return names.contains { if case .headCopy(one, _) = $0 { true } else { false } }
            }
        }
        for folder in folders {
            let store = store(other, in: folder)
            let names = try store.list(.heads).names.filter { $0.writer == one }
            let heads = Set(try store.read(names).objects.values)
            #expect(heads == [SampleObjects.object(.head, seed: 5), SampleObjects.object(.head, seed: 6)])
        }
    }
}

/// Half of a copy that has the length of the whole one: its form is right, and its signature is not.
private enum StoredSignature {
    static func isUnfinished(_ half: [UInt8], of whole: [UInt8]) -> Bool {
        half.count == whole.count && half != whole && half.starts(with: whole.prefix(10))
    }
}
