import Foundation
import LatchkeyFileSystemTesting
import LatchkeyTestSupport
import Testing

/// The volume as a file system: the testers are those that tmpfs and ext4 pass.
@Suite("A mounted volume is a file system", .needsVolumes)
struct VolumeSystemTests {
    private let stage: MountStage

    init() throws {
        stage = try MountStage(isMounted: false)
        try stage.create()
    }

    @Test("that keeps the rules of POSIX", .needsRoot(to: "be other users, about whom some rules are"))
    func rules() throws {
        try stage.mount("--allow-others")
        for path in [stage.directory, stage.folder] { try #require(chmod(path, 0o755) == 0) }
        let check = try Installation.program("file-system-check").path
        let broken = FileSystemRules.failures(in: Path(stage.folder), otherProcess: check)
        #expect(broken.isEmpty, "\(broken)")
    }

    @Test(
        "on which other people's programs work",
        arguments: [
            RealPrograms.git, RealPrograms.tar, RealPrograms.compiler, RealPrograms.sqlite,
            RealPrograms.sqliteProcesses,
        ])
    func programs(_ program: RealProgram) throws {
        try stage.mount()
        let scratch = stage.directory + "/scratch"
        try #require(mkdir(scratch, 0o700) == 0)
        try program.run(in: Path(stage.folder), scratch: Path(scratch))
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).isEmpty)
        try stage.unmount()
        let checked = try stage.device(["volume", "check", stage.store])
        #expect(checked.status == 0, "\(checked.output)")
    }

    @Test("whose server closes files in the pauses between requests") func closedFiles() throws {
        try stage.mount()
        for index in 0..<400 { try Data("text".utf8).write(to: URL(filePath: stage.path("file-\(index)"))) }
        let descriptors = "/proc/\(try stage.server())/fd"
        let store = stage.store
        eventually {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
            let files = names.compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
            }
            // Up to 320 without a pause.
            return (250...258).contains(files.count { $0.hasPrefix(store + "/content/") })
        }
    }

    @Test("whose files are those of a model in memory, also after a new mount", arguments: [1, 2] as [UInt64])
    func shadow(_ seed: UInt64) throws {
        try stage.mount()
        var shadow = FileSystemShadow(seed: seed)
        shadow.threads = 2
        try shadow.run(in: Path(stage.folder)) { _ in }
        try stage.remount()
        var tree = FileSystemTree(seed: seed)
        tree.operations = 800
        try tree.run(in: Path(stage.folder)) { _ in }
        try stage.unmount()
        let checked = try stage.device(["volume", "check", stage.store])
        #expect(checked.status == 0, "\(checked.output)")
    }
}
