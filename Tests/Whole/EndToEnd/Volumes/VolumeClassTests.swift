import CLatchkeyShims
import DataProtection
import Foundation
import Glibc
import LatchkeyTestSupport
import SecurityTesting
import Testing

@Suite("The classes of files on a mounted volume, through the command line", .needsVolumes)
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

    @Test("are set and read by the calls of DataProtection, and what these write is for every program")
    func dataProtection() throws {
        let stage = try MountStage()
        let (letter, book) = (URL(fileURLWithPath: stage.path("letter")), URL(fileURLWithPath: stage.path("book")))
        // Another device: the volume protects its files by its own keys.
        let device = try VirtualDevice()
        try device.run {
            for options: Data.WritingOptions in [
                .completeFileProtection, [.completeFileProtectionUnlessOpen, .atomic], [],
            ] {
                try Data("text".utf8).writeProtected(to: letter, options: options)
                #expect(try FileHandleNumber.content(letter.path) == Array("text".utf8))
                #expect(try Data(contentsOfProtected: letter) == Data("text".utf8))
                let expected = options == .completeFileProtection ? "complete" : "unless-open"
                #expect(try Self.classes(stage, "letter") == [expected], "what has a class keeps it")
            }
            #expect(throws: CocoaError.self) {
                try Data().writeProtected(to: letter, options: .withoutOverwriting)
            }
            let handle = try ProtectedFileHandle(forCreating: book, protection: .complete)
            try handle.write(contentsOf: Data("chapter one".utf8))
            try handle.seek(toOffset: 8)
            #expect(try handle.readToEnd() == Data("one".utf8))
            try handle.truncate(atOffset: 7)
            try handle.synchronize()
            #expect(try handle.size == 7 && handle.protection == .complete)
            #expect(try FileHandleNumber.content(book.path) == Array("chapter".utf8))
            let manager = ProtectedFileManager.default
            let attributes = try manager.attributesOfItem(atPath: book.path)
            let told = attributes[.protectionKey] as? FileProtectionType
            #expect(told?.rawValue == FileProtectionType.complete.rawValue)
            try manager.setAttributes(
                [.protectionKey: FileProtectionType.completeUnlessOpen], ofItemAtPath: letter.path)
            #expect(try Self.classes(stage, "letter", "book") == ["unless-open", "complete"])
            try ProtectedFileHandle(forUpdating: letter).setProtection(.complete)
            #expect(try Self.classes(stage, "letter") == ["complete"])

            try stage.lock()
            try handle.seek(toOffset: 0)
            func code(_ body: () throws -> Void) -> CocoaError.Code? {
                do { try body() } catch { return (error as? CocoaError)?.code }
                return nil
            }
            #expect(code { _ = try Data(contentsOfProtected: letter) } == .fileReadNoPermission)
            #expect(code { _ = try handle.read(upToCount: 1) } == .fileReadNoPermission)
            let new = URL(fileURLWithPath: stage.path("new"))
            #expect(
                code { try Data().writeProtected(to: new, options: .completeFileProtection) } == .fileWriteNoPermission)
            #expect(!FileManager.default.fileExists(atPath: new.path))
            try Data("later".utf8).writeProtected(to: new, options: .completeFileProtectionUnlessOpen)
            try stage.unlock()
            try handle.seek(toOffset: 0)
            #expect(try handle.readToEnd() == Data("chapter".utf8))
            #expect(try FileHandleNumber.content(new.path) == Array("later".utf8))
        }
    }

    @Test("are those that the volume gives to new files, if a call of DataProtection names none")
    func unnamed() throws {
        let stage = try MountStage(fileClass: "A")
        let device = try VirtualDevice()
        try #require(mkdir(stage.path("sub"), 0o700) == 0)
        try #require(try stage.device(["file", "class", "--set", "unless-open", stage.path("sub")]).status == 0)
        // A directory of another file system, above the volume, says nothing.
        let none = Array(FileProtectionType.none.rawValue.utf8)
        try #require(lk_attribute_set(stage.directory, "user.latchkey.protection", none, none.count) == 0)
        func url(_ name: String) -> URL { URL(fileURLWithPath: stage.path(name)) }
        try device.run {
            for (folder, expected) in [("", "complete"), ("sub/", "unless-open")] {
                try Data("text".utf8).writeProtected(to: url(folder + "in-place"))
                try Data("text".utf8).writeProtected(to: url(folder + "atomic"), options: .atomic)
                try Data("text".utf8).writeProtected(to: url(folder + "new"), options: .withoutOverwriting)
                try ProtectedFileHandle(forCreating: url(folder + "handle")).close()
                #expect(
                    ProtectedFileManager.default.createFile(atPath: stage.path(folder + "created"), contents: Data()))
                for name in ["in-place", "atomic", "new", "handle", "created"] {
                    #expect(try Self.classes(stage, folder + name) == [expected], "\(folder)\(name)")
                }
            }
        }
    }

    @Test("may be named for a new file while the device refuses the class of its folder")
    func namedUnderLock() throws {
        let stage = try MountStage(fileClass: "A")
        let device = try VirtualDevice()
        func url(_ name: String) -> URL { URL(fileURLWithPath: stage.path(name)) }
        func failure(_ body: () throws -> Void) -> CocoaError.Code? {
            do { try body() } catch { return (error as? CocoaError)?.code }
            return nil
        }
        let text = Data("recorded under a lock".utf8)
        try stage.lock()
        eventually { FileHandleNumber.failure { try FileHandleNumber.store("", at: stage.path("plain")) } == .EPERM }
        try device.run {
            try text.writeProtected(to: url("in-place"), options: .completeFileProtectionUnlessOpen)
            try text.writeProtected(to: url("atomic"), options: [.completeFileProtectionUnlessOpen, .atomic])
            try text.writeProtected(to: url("new"), options: [.noFileProtection, .withoutOverwriting])
            let exists = failure {
                try Data().writeProtected(to: url("new"), options: [.noFileProtection, .withoutOverwriting])
            }
            #expect(exists == .fileWriteFileExists)
            let handle = try ProtectedFileHandle(forCreating: url("handle"), protection: .completeUnlessOpen)
            try handle.write(contentsOf: text)
            try handle.seek(toOffset: 0)
            #expect(try handle.readToEnd() == text, "it stays usable while it is open")
            #expect(try Data(contentsOfProtected: url("new")) == text)
            let refused: [Data.WritingOptions] = [.completeFileProtection, [.completeFileProtection, .atomic], []]
            for options in refused {
                #expect(
                    failure { try text.writeProtected(to: url("refused"), options: options) } == .fileWriteNoPermission)
            }
        }
        // The same by any other program.
        let latchkey = try Installation.program("latchkey").path
        let shell = try run(
            URL(fileURLWithPath: "/bin/sh"),
            [
                "-ec",
                "cd \"$1\"; mkdir .new; \"$0\" file class --set unless-open .new --device \"$2\"; "
                    + "{ echo memo >&3; mv .new/memo .; echo more >&3; } 3> .new/memo; rmdir .new",
                latchkey, stage.folder, stage.device.directory,
            ])
        #expect(shell.status == 0, "\(shell.errors)")
        let names = ["atomic", "handle", "in-place", "memo", "new"]
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.folder).sorted() == names)
        try stage.unlock()
        #expect(try Self.classes(stage, "atomic", "in-place", "new") == ["unless-open", "unless-open", "none"])
        for name in names where name != "memo" {
            #expect(try FileHandleNumber.content(stage.path(name)) == Array(text), "\(name)")
        }
        #expect(try FileHandleNumber.content(stage.path("memo")) == Array("memo\nmore\n".utf8))
    }

    @Test("follow the entitlement of the program that makes a file, where its directory has no class")
    func entitlement() throws {
        let (stage, bench) = (try MountStage(), try SigningProgram())
        let team = try bench.team()
        let latchkey = try Installation.program("latchkey").path
        let program = try bench.copy(latchkey, "mail")
        let entitlements = try bench.write(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>application-identifier</key><string>\(team).com.example.mail</string>
            <key>com.apple.developer.default-data-protection</key><string>NSFileProtectionComplete</string>
            </dict></plist>
            """, "mail.entitlements")
        let signing = try bench(
            "codesign", "--team", team, "--identifier", "com.example.mail", "--entitlements", entitlements, program)
        try #require(signing.status == 0, "\(signing.errors)")
        // On the volume itself: the process that serves it must not wait for its own answer.
        let inside = stage.path("mail")
        try FileManager.default.copyItem(atPath: program, toPath: inside)
        for name in ["by-other", "by-it", "in-class", "from-volume"] {
            try #require(mkdir(stage.path(name), 0o700) == 0)
        }
        try #require(
            try stage.device(["file", "class", "--set", "none", stage.path("in-class")]).status == 0)
        let rows = [
            (latchkey, "by-other", "until-first-unlock"), (program, "by-it", "complete"),
            (program, "in-class", "none"), (inside, "from-volume", "until-first-unlock"),
        ]
        for (maker, folder, expected) in rows {
            // Something that writes a file: the key of a team.
            let made = try run(
                URL(fileURLWithPath: maker), ["team", "create", "--no-passphrase"],
                environment: ["XDG_DATA_HOME": stage.path(folder), "HOME": stage.path(folder)])
            #expect(made.status == 0, "\(made.errors)")
            let teams = folder + "/latchkey/teams"
            let file = try #require(try FileManager.default.contentsOfDirectory(atPath: stage.path(teams)).first)
            #expect(try Self.classes(stage, teams + "/" + file) == [expected], "\(folder)")
        }
    }
}
