import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// Options of `latchkey backup` that ``BackupTests`` leaves out. Most backups here are in clear, which need no password.
@Suite("latchkey backup, its options") struct BackupCommandTests {
    private static let passcode = "246810\n"

    @Test("the password is changed and removed with the current one alone; older backups keep theirs")
    func passwords() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        #expect(try device("add-generic-password -s mail -a me", input: "secret").status == 0)
        for command in ["change", "remove"] {
            let ending = try device("backup password \(command)", input: Self.passcode + "any\nother\n")
            #expect(ending.status == 26, "nothing to \(command)")
        }
        #expect(try device("backup password set", input: Self.passcode + "first\n").status == 0)
        #expect(try device("backup create --encrypted \(stage.path("old"))", input: Self.passcode).status == 0)
        #expect(try device("backup password change", input: Self.passcode + "wrong\nsecond\n").status != 0)
        #expect(try device("backup password change", input: "111111\nfirst\nsecond\n").status == 20)
        let changed = try device("backup password change --json", input: Self.passcode + "first\nsecond\n").json()
        #expect(changed["hasPassword"] as? Bool == true)
        #expect(try device("backup create --encrypted \(stage.path("new"))", input: Self.passcode).status == 0)
        for (backup, password, status) in [("old", "first", 0), ("new", "second", 0), ("new", "first", 61)] {
            let ending = try device("backup verify \(stage.path(backup))", input: password + "\n")
            #expect(ending.status == status, "\(backup) \(password) \(ending.errors)")
        }
        let removed = try device("backup password remove --json", input: Self.passcode + "second\n").json()
        #expect(removed["hasPassword"] as? Bool == false)
        #expect(try device("backup create --encrypted \(stage.path("new"))", input: Self.passcode).status == 26)
        #expect(try device("backup verify \(stage.path("new"))", input: "second\n").status == 0)
    }

    @Test("a dry run changes nothing, --home finds the home directory, --keep keeps and --replace replaces")
    func restoring() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        func add(_ service: String, _ secret: String) throws {
            #expect(try device("add-generic-password -s \(service) -a me -U", input: secret).status == 0)
        }
        func secret(_ service: String) throws -> String {
            try device("find-generic-password -s \(service) -a me -w").output
        }
        func restore(_ options: String, input: String = Self.passcode) throws -> [String: Any] {
            let line = "HOME=$PWD/new $L backup restore backups --home \(options) --json --device \(device.directory)"
            let ending = try stage("printf '\(input)' | \(line)")
            #expect(ending.status == 0, "\(options): \(ending.errors)")
            return try ending.json()
        }
        func items(_ report: [String: Any]) -> [String: Int] {
            (report["items"] as? [String: Int])?.filter { $0.value > 0 } ?? [:]
        }
        try add("both", "then")
        try add("gone", "then")
        try #require(
            try stage("mkdir -p home/sub new && echo then > home/sub/file && touch -d @1000000000 home/sub/file").status
                == 0)
        let create = "HOME=$PWD/home $L backup create backups --files home/sub --device \(device.directory)"
        try #require(try stage("printf '\(Self.passcode)' | \(create)").status == 0)
        #expect(try device("delete-generic-password -s gone -a me").status == 0)
        try add("both", "now")
        try add("later", "now")

        for policy in ["", "--keep", "--replace"] {
            let dry = try restore("-n \(policy)")
            #expect(dry["dryRun"] as? Bool == true && dry["restored"] as? Int == 1)
            #expect(items(dry)["restored"] == 1)
            #expect(try stage("find new -mindepth 1").output.isEmpty)
            #expect(try device("find-generic-password -s gone -a me").status == 44 && secret("later") == "now\n")
        }

        let kept = try restore("--keep")
        #expect(kept["restored"] as? Int == 1 && items(kept) == ["restored": 1, "kept": 1])
        #expect(
            try stage("cat new/sub/file").output == "then\n" && secret("gone") == "then\n" && secret("both") == "now\n")

        // Earlier than the one of the backup: that would replace it, if it were not to be kept.
        try #require(try stage("echo mine > new/sub/file && touch -d @900000000 new/sub/file").status == 0)
        let again = try restore("--keep --no-items", input: "")
        #expect(again["kept"] as? [String] == ["HomeDomain/sub/file"] && again["replaced"] as? Int == 0)
        #expect(try stage("cat new/sub/file").output == "mine\n")

        // --replace asks first.
        let line = "HOME=$PWD/new $L backup restore backups --home --replace --device \(device.directory)"
        #expect(try stage("printf '\(Self.passcode)' | \(line)").status != 0)
        #expect(try stage("cat new/sub/file").output == "mine\n" && secret("both") == "now\n")
        let replaced = try restore("--replace --yes")
        #expect(replaced["replaced"] as? Int == 1)
        #expect(try stage("cat new/sub/file").output == "then\n")
        #expect(try secret("both") == "then\n" && secret("gone") == "then\n")
        #expect(try device("find-generic-password -s later -a me").status == 44)
    }

    @Test("an interruption leaves the backup that was there", arguments: [SIGINT, SIGTERM])
    func interrupted(_ number: Int32) throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try #require(try stage("mkdir files && echo then > files/small").status == 0)
        let files = "AppDomain-test=\(stage.path("files"))"
        let made = try device("backup create \(stage.path("b")) --files \(files) --json", input: Self.passcode).json()
        let folder = try #require(made["path"] as? String)
        let before = try stage("cd '\(folder)' && find . -type f | sort | xargs sha256sum").output
        // So large that no copy of it ends before the signal; it takes no room itself.
        try #require(try stage("echo now > files/small && truncate -s 16G files/large").status == 0)
        let process = Process()
        // The threads of a test block signals, and programs inherit that.
        let unblocked = """
            import os, signal, sys
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            os.execv(sys.argv[1], sys.argv[1:])
            """
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [
            "-c", unblocked, try Installation.program("latchkey").path, "backup", "create", stage.path("b"), "--files",
            files, "--quiet", "--device", device.directory,
        ]
        let input = Pipe()
        process.standardInput = input
        try stage.write([], to: "said")
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: stage.path("said"))
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(Self.passcode.utf8))
        try input.fileHandleForWriting.close()
        func isCopying() -> Bool {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/Snapshot")) ?? []
            return names.contains { $0.utf8.count == 2 }
        }
        while process.isRunning, !isCopying() { usleep(500) }
        kill(process.processIdentifier, number)
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        let said = String(decoding: try stage.bytes("said"), as: UTF8.self)
        #expect(process.terminationStatus == 130, "\(said)")
        #expect(try stage("cd '\(folder)' && find . -type f | sort | xargs sha256sum").output == before)
        #expect(!FileManager.default.fileExists(atPath: folder + "/Snapshot"))
        try #require(try stage("rm files/large").status == 0)
        let next = try device("backup create \(stage.path("b")) --files \(files) --json", input: Self.passcode).json()
        #expect(next["copied"] as? Int == 1 && next["full"] as? Bool == false)
        #expect(try device("backup verify \(stage.path("b"))").status == 0)
    }

    @Test("a backup whose password is cheaper to guess than a phone's says so")
    func weak() throws {
        let device = try ThrowawayDevice()
        func inspect(_ kind: String, _ options: String...) throws -> Ending {
            try device(["backup", "inspect", "\(Vectors.folder.path)/backup/sample-\(kind)"] + options)
        }
        let shown = try inspect("encrypted", "--json").json()
        #expect(shown["rounds"] as? Int == 10_000 && shown["weak"] as? Bool == true)
        let clear = try inspect("unencrypted", "--json").json()
        #expect(clear["rounds"] is NSNull && clear["weak"] as? Bool == false)
        #expect(try inspect("encrypted").output.contains("cheaper to guess"))
        #expect(try !inspect("unencrypted").output.contains("cheaper to guess"))
    }

    @Test("the password of a phone's backup comes from a descriptor, too, and is taken in no argument")
    func descriptors() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try stage.write(Array("correct horse battery staple\n".utf8), to: "phone")
        try stage.write(Array(Self.passcode.utf8), to: "code")
        let sample = "'\(Vectors.folder.path)'/backup/sample-encrypted/*/"
        let line = "$L import ios-backup \(sample) --all --json --device \(device.directory) --passcode-fd 4 4<code"
        for option in ["--password-fd 3", "--password-fd=3"] {
            let ending = try stage("\(line) \(option) 3<phone")
            #expect(ending.status == 0, "\(ending.errors)")
        }
        for option in ["--password secret", "--password=secret", "--passphrase=secret", "-Psecret"] {
            let ending = try stage("\(line) \(option)")
            #expect(ending.status == 30 && !ending.errors.contains("secret"), "\(option)")
        }
    }

    @Test("sizes that only the index claims are added up without end")
    func claimedSizes() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        let sample = "\(Vectors.folder.path)/backup/sample-unencrypted"
        try #require(try stage("mkdir b && cp -r '\(sample)'/*/ b && chmod -R u+w b").status == 0)
        let script = """
            import glob, plistlib, sqlite3
            index = sqlite3.connect(glob.glob("b/*/Manifest.db")[0])
            for number, blob in index.execute("SELECT fileID, file FROM Files WHERE flags = 1").fetchall():
                archive = plistlib.loads(blob)
                archive["$objects"][1]["Size"] = 2 ** 63 - 1
                blob = plistlib.dumps(archive, fmt=plistlib.FMT_BINARY)
                index.execute("UPDATE Files SET file = ? WHERE fileID = ?", (blob, number))
            index.commit()
            """
        try stage.write(Array(script.utf8), to: "claim.py")
        try #require(try stage("/usr/bin/python3 claim.py").status == 0)
        let shown = try device("import ios-backup \(stage.path("b")) --json", input: Self.passcode).json()
        let apps = try #require(shown["apps"] as? [[String: Any]])
        let home = try #require(apps.first { $0["app"] as? String == "HomeDomain" })
        #expect(home["files"] as? Int == 6 && home["bytes"] as? Int64 == .max)
        let list = try device("backup list \(stage.path("b"))")
        #expect(list.status == 0 && list.output.contains("9223372036854775807"))
        let restored = try device(
            "backup restore \(stage.path("b")) --no-items --to HomeDomain=\(stage.path("out")) --json"
        ).json()
        #expect(restored["restored"] as? Int == 7)
    }
}
