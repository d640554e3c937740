import Glibc
import LatchkeyFileSystemTesting
import LatchkeyTestSupport
import Testing

/// Random operations on the file systems of Linux, which have no errors; and on files that something else changes.
@Suite struct FileSystemShadowTests {
    @Test("files in a temporary directory are like their shadows", arguments: [1, 2, 3] as [UInt64])
    func files(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        try FileSystemShadow(seed: seed).run(in: directory.path)
        #expect(try TestDirectory(directory.path).names() == [])
    }

    @Test("files of several threads are like their shadows", arguments: [11, 12] as [UInt64])
    func threads(seed: UInt64) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var shadow = FileSystemShadow(seed: seed)
        shadow.threads = 4
        shadow.operations = 300
        try shadow.run(in: directory.path)
    }

    @Test("files on tmpfs are like their shadows", .needsMounts)
    func tmpfs() throws {
        let disk = try SmallDisk(megabytes: 64)
        try FileSystemShadow(seed: 21).run(in: Path(disk.path))
        try FileSystemTree(seed: 21).run(in: Path(disk.path))
        withExtendedLifetime(disk) {}
    }

    /// The damage that a wrong file system could do to one file.
    enum Damage: String, CaseIterable {
        case byte, lostEnd, addedEnd, swappedBlocks, missing, additional
    }

    @Test("damage between two operations is found, and the seed is told", arguments: Damage.allCases)
    func damaged(_ damage: Damage) throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        var shadow = FileSystemShadow(seed: 31)
        shadow.operations = 100
        shadow.filesPerThread = 1
        let error = #expect(throws: FileSystemShadow.Mismatch.self) {
            try shadow.run(in: directory.path) { try Self.apply(damage, to: $0) }
        }
        #expect(error?.description.contains("seed 31") == true)
    }

    private static func apply(_ damage: Damage, to directory: TestDirectory) throws {
        let parent = try #require(try directory.names().first)
        let name = parent / (try #require(try directory.names(parent).first))
        let file = try directory.open(name)
        var bytes = try file.contents()
        // At this seed there is something to damage.
        try #require(bytes.count > 8192 && bytes[..<4096] != bytes[4096..<8192])
        switch damage {
        case .byte:
            bytes[bytes.count / 2] ^= 1
            try file.write(bytes, at: 0)
        case .lostEnd: try file.truncate(Int64(bytes.count - 1))
        case .addedEnd: try file.write([0], at: Int64(bytes.count))
        case .swappedBlocks: try file.write(Array(bytes[4096..<8192] + bytes[..<4096]), at: 0)
        case .missing: try directory.unlink(name)
        case .additional: try directory.create(parent / "additional")
        }
    }
}
