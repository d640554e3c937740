import LatchkeyFileSystemTesting
import LatchkeyTestSupport
import Testing

/// The table against the file systems of Linux, which it describes.
@Suite struct FileSystemRuleTests {
    @Test("each rule has a name of its own")
    func names() {
        let names = FileSystemRules.all.map(\.name)
        #expect(names.count > 120)
        #expect(Set(names).count == names.count)
    }

    @Test("tmpfs keeps all rules", .needsMounts)
    func tmpfs() throws {
        let disk = try SmallDisk(megabytes: 64)
        // Some rules are about another user, who has to pass through.
        try TestDirectory("/").changeMode(Path(disk.path), 0o755)
        let broken = FileSystemRules.failures(in: Path(disk.path), otherProcess: try OwnPrograms.check())
        #expect(broken.isEmpty, "\(broken)")
        withExtendedLifetime(disk) {}
    }

    @Test("the file system of temporary files keeps all rules")
    func temporaryFiles() throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let broken = FileSystemRules.failures(in: directory.path, otherProcess: try OwnPrograms.check())
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test("a file system that breaks rules is found out: proc has no new directories")
    func brokenEverywhere() throws {
        let outcomes = FileSystemRules.run(in: "/proc/self", otherProcess: try OwnPrograms.check())
        #expect(outcomes.count == FileSystemRules.all.count)
        #expect(outcomes.count(where: \.isBroken) == outcomes.count)
    }
}
