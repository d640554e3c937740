import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("The classes of files on a mounted volume, through the command line")
struct VolumeClassTests {
    /// The first word of each line of `latchkey file class`.
    private static func classes(_ stage: MountStage, _ names: String...) throws -> [String] {
        let ending = try stage.device(["file", "class"] + names.map(stage.path))
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.output.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
    }

    @Test("are told, set, and changed for a whole tree, and outlast the mount")
    func classes() throws {
        let stage = try MountStage()
        try #require(mkdir(stage.path("sub"), 0o700) == 0)
        for name in ["letter", "sub/deep", "other"] {
            try FileHandleNumber.store("text of \(name)", at: stage.path(name))
        }
        #expect(try Self.classes(stage, "letter", "sub/deep") == ["until-first-unlock", "until-first-unlock"])

        let set = try stage.device(["file", "class", "--set", "unless-open", stage.path("letter")])
        #expect(set.status == 0, "\(set.errors)")
        #expect(try Self.classes(stage, "letter", "other") == ["unless-open", "until-first-unlock"])

        let protect = ["file", "protect", stage.folder, "--class", "complete", "--yes", "--json"]
        let kept = try stage.device(protect)
        #expect(kept.status == 0, "\(kept.errors)")
        #expect(try kept.json()["files"] as? Int == 0, "files with a class keep it")
        #expect(try Self.classes(stage, "letter", "other") == ["unless-open", "until-first-unlock"])
        let changed = try stage.device(protect + ["--reclass"])
        #expect(changed.status == 0, "\(changed.errors)")
        #expect(try changed.json()["files"] as? Int == 3)
        #expect(try Self.classes(stage, "letter", "sub/deep", "other") == ["complete", "complete", "complete"])

        try stage.remount()
        #expect(try Self.classes(stage, "letter", "sub/deep", "other") == ["complete", "complete", "complete"])
        for name in ["letter", "sub/deep", "other"] {
            #expect(try FileHandleNumber.content(stage.path(name)) == Array("text of \(name)".utf8))
        }
        // The class is that of the stored file: a lock closes it.
        try stage.lock()
        #expect(FileHandleNumber.failure { _ = try FileHandleNumber.content(stage.path("letter")) } != nil)
        try stage.unlock()
        #expect(try FileHandleNumber.content(stage.path("letter")) == Array("text of letter".utf8))
    }
}
