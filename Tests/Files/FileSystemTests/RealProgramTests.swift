import LatchkeyFileSystemTesting
import LatchkeyTestSupport
import Testing

/// The programs on a file system that certainly is right: what fails elsewhere is the file system's fault.
@Suite struct RealProgramTests {
    @Test("works in a temporary directory", arguments: RealPrograms.all)
    func works(_ program: RealProgram) throws {
        let (directory, scratch) = try (TemporaryDirectory(), TemporaryDirectory())
        defer {
            directory.remove()
            scratch.remove()
        }
        try program.run(in: directory.path, scratch: scratch.path)
        #expect(try TestDirectory(directory.path).names() == [])
    }

    @Test(
        "a full disk is found out", .needsMounts,
        arguments: RealPrograms.all)
    func full(_ program: RealProgram) throws {
        let disk = try SmallDisk(megabytes: 1)
        let scratch = try TemporaryDirectory()
        defer { scratch.remove() }
        try disk.fill()
        #expect(throws: (any Error).self) { try program.run(in: Path(disk.path), scratch: scratch.path) }
        // The failure was the program's: before it, its directory was made.
        #expect(try TestDirectory(Path(disk.path)).names().contains("work"))
        withExtendedLifetime(disk) {}
    }
}
