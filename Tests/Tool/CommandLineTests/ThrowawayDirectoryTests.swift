import Foundation
import LatchkeyCommandLineTool
import LatchkeyTestSupport
import Testing

@Suite("Throwaway directories")
struct ThrowawayDirectoryTests {
    private let place: TemporaryDirectory

    init() throws {
        place = try TemporaryDirectory()
    }

    private func make(_ name: String, mode: Int = 0o700) throws {
        try FileManager.default.createDirectory(
            atPath: "\(place.path)/\(name)", withIntermediateDirectories: false, attributes: [.posixPermissions: mode])
        try Data("x".utf8).write(to: URL(filePath: "\(place.path)/\(name)/file"))
    }

    private var names: Set<String> {
        Set((try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [])
    }

    @Test("of a process that was killed are removed; those in use, of another name or mode and links stay")
    func abandoned() throws {
        let live = try ThrowawayDirectory(named: "run", in: [place.path], isRemovedAtSignal: false)
        for name in ["run.abc123", "run.ABCdef", "run.used00", "other.abc123", "run.abc1234", "run.abc-12"] {
            try make(name)
        }
        try make("run.open00", mode: 0o755)
        try make("target")
        try FileManager.default.createSymbolicLink(
            atPath: place.path + "/run.link00", withDestinationPath: place.path + "/target")
        ThrowawayDirectory.removeAbandoned(named: "run", in: [place.path]) { $0.hasSuffix("used00") }
        #expect(
            names == [
                URL(filePath: live.path).lastPathComponent, "run.used00", "other.abc123", "run.abc1234", "run.abc-12",
                "run.open00", "run.link00", "target",
            ])
        #expect(FileManager.default.fileExists(atPath: place.path + "/target/file"))
    }

    @Test("are locked for as long as their object lives, and go with it")
    func life() throws {
        var live: ThrowawayDirectory? = try ThrowawayDirectory(
            named: "run", in: [place.path], isRemovedAtSignal: false)
        let path = try #require(live?.path)
        ThrowawayDirectory.removeAbandoned(named: "run", in: [place.path])
        #expect(FileManager.default.fileExists(atPath: path))
        live = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
