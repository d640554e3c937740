import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("The commands of volumes, as a newcomer uses them", .needsVolumes)
struct VolumeCommandTests {
    @Test("create, mount, status, unmount")
    func course() throws {
        let stage = try MountStage(isMounted: false)
        let device = stage.device
        let created = try device(["volume", "create", stage.store, "--class", "unless-open", "--json"])
        #expect(created.status == 0)
        #expect(try created.json()["class"] as? String == "NSFileProtectionCompleteUnlessOpen")
        #expect(try device(["volume", "status", stage.store]).output.contains("not mounted"))
        let mounted = try device(["volume", "mount", stage.store, stage.folder])
        #expect(mounted.status == 0, "\(mounted.errors)")
        try FileHandleNumber.store("text", at: stage.path("file"))
        for place in [stage.store, stage.folder] {
            let status = try device(["volume", "status", place, "--json"])
            #expect(try status.json()["folder"] as? String == stage.folder)
            #expect(try status.json()["storage"] as? String == stage.store)
        }
        #expect(try device(["volume", "status"]).output.contains(stage.folder))
        #expect(try device(["volume", "unmount", stage.store]).status == 0)
        #expect(access(stage.path("file"), F_OK) != 0)
        try stage.mount("--read-only")
        #expect(try FileHandleNumber.content(stage.path("file")) == Array("text".utf8))
        #expect(FileHandleNumber.failure { try FileHandleNumber.store("x", at: stage.path("x")) } == .EROFS)
    }

    @Test("status tells of a process that has ended, and of one that does not answer")
    func serving() throws {
        let stage = try MountStage()
        func server() throws -> String? {
            try stage.device(["volume", "status", stage.store, "--json"]).json()["server"] as? String
        }
        #expect(try server() == "served")
        let number = try stage.server()
        try #require(kill(number, SIGSTOP) == 0)
        #expect(try server() == "silent")
        #expect(try stage.device(["volume", "status"]).output.contains("does not answer"))
        try #require(kill(number, SIGCONT) == 0)
        #expect(try server() == "served")
        try stage.killServer()
        #expect(try server() == "gone")
        let told = try stage.device(["volume", "status", stage.folder])
        #expect(told.output.contains("has ended: `"))
        #expect(told.output.contains("latchkey volume mount \(stage.store) \(stage.folder)`"))
        try stage.mount()
        #expect(try server() == "served")
    }

    @Test("create refuses what is not empty, and says what to choose")
    func creating() throws {
        let stage = try MountStage(isMounted: false)
        let device = stage.device
        try #require(mkdir(stage.store, 0o700) == 0)
        try FileHandleNumber.store("x", at: stage.store + "/x")
        let full = try device(["volume", "create", stage.store])
        #expect(full.status == 39)
        #expect(full.errors.contains("empty"))
        let below = try device(["volume", "create", stage.directory + "/missing/store"])
        #expect(below.status == 73)
        #expect(below.errors.contains("No such file or directory"))
        let file = try device(["volume", "create", stage.store + "/x"])
        #expect(file.status == 32)
        #expect(file.errors.contains("Not a directory"))
        let unknown = try device(["volume", "create", stage.directory + "/other", "--class", "secret"])
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("until-first-unlock"))
        #expect(access(stage.directory + "/other", F_OK) != 0)
    }

    @Test("mount refuses a folder that is not a volume, a mounted volume, and a folder with something in it")
    func mounting() throws {
        let stage = try MountStage(isMounted: false)
        let device = stage.device
        let missing = try device(["volume", "mount", stage.store, stage.folder])
        #expect(missing.status == 32, "\(missing.errors)")
        #expect(missing.errors.contains(stage.store) && missing.errors.contains("No such file"))
        try #require(mkdir(stage.store, 0o700) == 0)
        let none = try device(["volume", "mount", stage.store, stage.folder])
        #expect(none.status == 32, "\(none.errors)")
        #expect(none.errors.contains("latchkey volume create"))
        #expect(access(stage.folder, F_OK) != 0, "no folder is made for what cannot be mounted")
        try stage.create()
        try #require(mkdir(stage.folder, 0o700) == 0)
        try FileHandleNumber.store("x", at: stage.path("x"))
        let full = try device(["volume", "mount", stage.store, stage.folder])
        #expect(full.status == 39)
        #expect(full.errors.contains("hidden"), "\(full.errors)")
        let file = try device(["volume", "mount", stage.store, stage.path("x")])
        #expect(file.status == 32, "\(file.errors)")
        try #require(unlink(stage.path("x")) == 0)
        try stage.mount()
        let twice = try device(["volume", "mount", stage.store, stage.directory + "/second"])
        #expect(twice.status == 14, "\(twice.errors)")
        #expect(twice.errors.contains(stage.folder))
        let over = try device(["volume", "mount", stage.store, stage.folder])
        #expect(over.status == 14, "\(over.errors)")
        #expect(access(stage.directory + "/second", F_OK) != 0)
    }

    @Test("a volume covers its own directory if no folder is named")
    func ownDirectory() throws {
        let stage = try MountStage(isMounted: false)
        try stage.create()
        #expect(try stage.device(["volume", "mount", stage.store]).status == 0)
        try FileHandleNumber.store("text", at: stage.store + "/file")
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.store) == ["file"])
        let twice = try stage.device(["volume", "mount", stage.store])
        #expect(twice.status == 14, "\(twice.errors)")
        #expect(try stage.device(["volume", "unmount", stage.store]).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: stage.store).sorted() == ["content", "latchkey-volume"])
    }

    @Test("unmount says what is in the way, and what is not mounted")
    func unmounting() throws {
        let stage = try MountStage()
        try FileHandleNumber.store("text", at: stage.path("file"))
        do {
            let file = try FileHandleNumber(stage.path("file"), O_RDWR)
            try file.write(Array("TEXT".utf8))
            let busy = try stage.device(["volume", "unmount", stage.folder])
            #expect(busy.status == 12)
            #expect(busy.errors.contains("Close the programs"), "\(busy.errors)")
            #expect(try file.read() == Array("TEXT".utf8))
        }
        try stage.unmount()
        let none = try stage.device(["volume", "unmount", stage.folder])
        #expect(none.status == 32)
        #expect(none.errors.contains("volume status"))
        try stage.mount()
        #expect(try FileHandleNumber.content(stage.path("file")) == Array("TEXT".utf8))
    }

    @Test("a folder that a crash left behind is mounted again, and unmounted")
    func stale() throws {
        let stage = try MountStage()
        try FileHandleNumber.store("text", at: stage.path("file"))
        try stage.killServer()
        try stage.mount()
        #expect(try FileHandleNumber.content(stage.path("file")) == Array("text".utf8))
        try stage.killServer()
        try stage.unmount()
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder) == [])
    }

    @Test(
        "paths may have any characters",
        arguments: [
            "a folder", "a,b", "a\nb", "a\\b", "a,\u{301}allow_other", "a#b", "-rf", "\u{E9}\u{1F512}", "a\tb",
            "a'b\"c",
            "a=b,ro", "a\\,b", "a\\040b",
        ])
    func oddPaths(_ name: String) throws {
        let stage = try MountStage(isMounted: false)
        let (store, folder) = (stage.directory + "/store " + name, stage.directory + "/" + name)
        #expect(try stage.device(["volume", "create", store]).status == 0)
        for _ in 0..<2 {
            let mounted = try stage.device(["volume", "mount", store, folder])
            try #require(mounted.status == 0, "\(mounted.errors)")
            try FileHandleNumber.store("text", at: folder + "/file")
            let status = try stage.device(["volume", "status", folder, "--json"]).json()
            #expect(status["storage"] as? String == store)
            #expect(status["folder"] as? String == folder)
            #expect(status["readOnly"] as? Bool == false)
            try #require(unlink(folder + "/file") == 0)
            #expect(try stage.device(["volume", "unmount", folder]).status == 0)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        // A path from the working directory, as people type it.
        let relative = try run(
            URL(filePath: "/bin/bash"),
            [
                "-c", "cd \"$1\" && \"$0\" volume mount --device \"$2\" -- \"$3\" \"$4\"",
                Installation.program("latchkey").path, stage.directory, stage.device.directory, "store " + name, name,
            ])
        #expect(relative.status == 0, "\(relative.errors)")
        #expect(try stage.device(["volume", "unmount", folder]).status == 0)
    }

    @Test("a path that is not UTF-8 is refused, and nothing else is made in its place")
    func notUTF8() throws {
        let stage = try MountStage(isMounted: false)
        try stage.create()
        let program = try Installation.program("latchkey").path
        for line in ["volume create $'bad\\xff'", "volume mount store $'bad\\xff'"] {
            let ending = try run(
                URL(filePath: "/bin/bash"),
                ["-c", "cd \"$1\" && \"$0\" \(line) --device \"$2\"", program, stage.directory, stage.device.directory])
            #expect(ending.status == 64, "\(line): \(ending.output)\(ending.errors)")
            #expect(ending.errors.contains("UTF-8"), "\(ending.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.directory) == ["store"])
    }

    @Test("another device does not mount a volume, and says why")
    func otherDevice() throws {
        let stage = try MountStage(isMounted: false)
        try stage.create()
        let other = try ThrowawayDevice.unlocked()
        let refused = try other(["volume", "mount", stage.store, stage.folder])
        #expect(refused.status == 40, "\(refused.errors)")
        #expect(refused.errors.contains("another device"), "\(refused.errors)")
        try stage.mount()
        _ = stage
    }

    @Test("without a daemon, mounting says how to start it")
    func noDaemon() throws {
        let stage = try MountStage(isMounted: false)
        try stage.create()
        try #require(try stage.device("stop").status == 0)
        let refused = try stage.device(["volume", "mount", stage.store, stage.folder])
        #expect(refused.status == 10)
        #expect(refused.errors.contains("latchkey start --device"), "\(refused.errors)")
        #expect(access(stage.folder, F_OK) != 0)
    }

    @Test("check verifies what is not mounted, and says what is damaged")
    func checking() throws {
        let stage = try MountStage()
        for name in ["one", "two"] {
            try FileHandleNumber.store(String(repeating: name, count: 3000), at: stage.path(name))
        }
        let mounted = try stage.device(["volume", "check", stage.store])
        #expect(mounted.status == 14)
        #expect(mounted.errors.contains("volume unmount"), "\(mounted.errors)")
        try stage.unmount()
        let intact = try stage.device(["volume", "check", stage.store])
        #expect(intact.status == 0, "\(intact.output)\(intact.errors)")
        #expect(intact.output.contains("2 files") && intact.output.contains("Nothing is damaged"))
        let content = stage.store + "/content"
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: content).first)
        do {
            let file = try FileHandleNumber(content + "/" + name, O_RDWR)
            try file.write(try file.read(1, at: 9000).map { $0 ^ 1 }, at: 9000)
        }
        try FileHandleNumber.store("x", at: content + "/.new-x")
        let damaged = try stage.device(["volume", "check", stage.store, "--json"])
        #expect(damaged.status == 65)
        let document = try damaged.json()
        #expect(document["damaged"] as? Int == 1 && document["complete"] as? Bool == true)
        let findings = try #require(document["findings"] as? [[String: Any]])
        #expect(Set(findings.compactMap { $0["kind"] as? String }) == ["damagedContent", "remnant"])
        let finding = try #require(findings.first { $0["kind"] as? String == "damagedContent" })
        #expect(["one", "two"].contains(finding["path"] as? String))
        #expect(finding["stored"] as? String == "content/" + name)
        #expect((finding["ranges"] as? [[String: Int]])?.isEmpty == false)
        let repaired = try stage.device(["volume", "check", stage.store, "--repair"])
        #expect(repaired.status == 65)
        #expect(repaired.output.contains("removed"), "\(repaired.output)")
        #expect(access(content + "/.new-x", F_OK) != 0)
        let none = try stage.device(["volume", "check", stage.directory])
        #expect(none.status == 32)
    }
}
