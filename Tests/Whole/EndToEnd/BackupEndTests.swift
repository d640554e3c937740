import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyTestSupport
import Testing

/// Restores and imports that cannot come to their end, and readers beside a run. The backups have no password, so that none is
/// stretched.
@Suite("latchkey backup, ended early or read meanwhile") struct BackupEndTests {
    private static let passcode = "246810\n"

    /// A device with a backup `b` of an item and two files, whose item is gone since, and which has another one.
    private static func stage() throws -> (ThrowawayDevice, FileStage) {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        #expect(try device("add-generic-password -s then -a me", input: "secret").status == 0)
        try #require(try stage("mkdir d && echo one > d/one && echo two > d/two").status == 0)
        let made = try device(
            "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("d"))", input: passcode)
        #expect(made.status == 0, "\(made.errors)")
        #expect(try device("delete-generic-password -s then -a me").status == 0)
        #expect(try device("add-generic-password -s later -a me", input: "secret").status == 0)
        return (device, stage)
    }

    /// True if a restore has changed no item.
    private static func isUntouched(_ device: ThrowawayDevice) throws -> Bool {
        try device("find-generic-password -s later -a me").status == 0
            && device("find-generic-password -s then -a me").status == 44
    }

    @Test("a file in the place of the directory ends a restore and an import before anything is deleted or restored")
    func trouble() throws {
        let (device, stage) = try Self.stage()
        try #require(try stage("echo mine > place").status == 0)
        let target = "--to AppDomain-test=\(stage.path("place"))"
        for policy in ["--merge", "--keep", "--replace --yes"] {
            let ending = try device("backup restore \(stage.path("b")) \(policy) \(target)", input: Self.passcode)
            #expect(ending.status == 73 && ending.errors.contains("Nothing was restored."), "\(ending.errors)")
            #expect(ending.errors.contains("place") && !ending.errors.contains("damaged"))
            #expect(try Self.isUntouched(device))
        }
        try #require(try stage("mkdir f && echo mine > f/AppDomain-test").status == 0)
        let line = "import ios-backup \(stage.path("b")) --all --overwrite --yes --files \(stage.path("f"))"
        let ending = try device(line, input: Self.passcode)
        #expect(ending.status == 73 && ending.errors.contains("Nothing was imported."), "\(ending.errors)")
        #expect(try Self.isUntouched(device))
    }

    @Test("a directory in the place of a file stays, is named, and ends a restore and an import with 34")
    func directory() throws {
        let (device, stage) = try Self.stage()
        try #require(try stage("mkdir -p r/one f/AppDomain-test/one").status == 0)
        let target = "--to AppDomain-test=\(stage.path("r"))"
        let words = "AppDomain-test/one: A directory is in its place here, and stays."
        let dry = try device("backup restore -n \(stage.path("b")) \(target)", input: Self.passcode)
        #expect(dry.status == 34 && dry.output.contains(words), "\(dry.output)")
        let ending = try device("backup restore \(stage.path("b")) \(target) --json", input: Self.passcode)
        #expect(ending.status == 34)
        let report = try ending.json()
        #expect(report["restored"] as? Int == 1 && (report["kept"] as? [String])?.isEmpty == true)
        #expect((report["failed"] as? [[String: Any]])?.compactMap { $0["path"] as? String } == ["AppDomain-test/one"])
        let line = "import ios-backup \(stage.path("b")) --all --files \(stage.path("f"))"
        let imported = try device(line, input: Self.passcode)
        #expect(imported.status == 34 && imported.output.contains(words), "\(imported.output)")
        #expect(try stage("cat r/two f/AppDomain-test/two && test -d r/one").output == "two\ntwo\n")
    }

    @Test("entries of a backup in each other's way end a restore and an import before anything, and are named")
    func conflict() throws {
        let (device, stage) = try Self.stage()
        let made = try #require(try stage("dirname b/*/Manifest.db").output.split(separator: "\n").first)
        let folder = stage.path(String(made))
        let index = try BackupIndex(BackupFolder(folder).bytes(of: BackupNames.index))
        let record = FileRecord(domain: "AppDomain-test", path: "one/inner", kind: .file, mode: 0o100644)
        try index.change { changes in try changes.put(record) }
        try Data(index.stored(key: nil)).write(to: URL(fileURLWithPath: folder + "/" + BackupNames.index))
        try #require(
            try stage(
                "mkdir -p '\(folder)/\(record.fileID.folder)' && : > '\(folder)/\(record.fileID.folder)/\(record.fileID)'"
            )
            .status == 0)
        let restore = "backup restore \(stage.path("b")) --replace --yes --to AppDomain-test=\(stage.path("r"))"
        let refused = try device(restore, input: Self.passcode)
        #expect(refused.status == 65 && refused.output.contains("Nothing was restored"), "\(refused.output)")
        #expect(refused.output.contains("AppDomain-test/one/inner: Another entry of the backup"))
        let line = "import ios-backup \(stage.path("b")) --all --files \(stage.path("f"))"
        let imported = try device(line, input: Self.passcode)
        #expect(imported.status == 65 && imported.output.contains("Nothing was imported"), "\(imported.output)")
        #expect(try Self.isUntouched(device) && !stage.has("r"))
        let rest = try device(restore + " --skip-damaged", input: Self.passcode)
        #expect(rest.status == 34 && rest.output.contains("1 new"), "\(rest.output)")
        #expect(try stage("cat r/one r/two").output == "one\ntwo\n")
    }

    @Test("ten of ten readers, and a restore and a rehearsal, are right while backups are made into their folder")
    func readers() throws {
        let (device, stage) = try Self.stage()
        try #require(try stage("mkdir d/many && for n in $(seq 200); do echo $n > d/many/$n; done").status == 0)
        let create = "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("d")) --quiet"
        #expect(try device(create, input: Self.passcode).status == 0)
        let script = """
            for n in 1 2 3 4 5 6; do
                for m in $(seq 200); do echo $n $m > d/many/$m; done
                printf '\(Self.passcode)' | $L \(create) --device \(device.directory) || echo "create: $?"
            done > creates 2>&1 &
            for n in 1 2 3 4 5 6 7 8 9 10; do
                $L backup verify b > said 2>&1 || { echo "verify: $?"; cat said; }
                $L backup list b > said 2>&1 || { echo "list: $?"; cat said; }
                $L backup extract b AppDomain-test/two -o out-$n > said 2>&1 || { echo "extract: $?"; cat said; }
            done
            $L backup restore b --no-items --to AppDomain-test=r --device \(device.directory) > said 2>&1 ||
                { echo "restore: $?"; cat said; }
            $L backup rehearse b --device \(device.directory) > said 2>&1 || { echo "rehearse: $?"; cat said; }
            wait
            grep create: creates
            cat out-* | sort -u
            """
        try stage.write(Array(script.utf8), to: "readers.sh")
        let outcome = try stage(". ./readers.sh")
        #expect(outcome.output == "two\n", "\(outcome.output) \(outcome.errors)")
        #expect(try device("backup verify \(stage.path("b"))").status == 0)
        #expect(try device(create, input: Self.passcode).status == 0)
        #expect(try stage("ls b/*/Snapshot").status != 0)
    }

    @Test("a run whose readers do not end says that its backup counts, and ends with 0")
    func waiting() throws {
        let (device, stage) = try Self.stage()
        let made = try #require(try stage("dirname b/*/Manifest.db").output.split(separator: "\n").first)
        let lock = stage.path(String(made)) + "/" + BackupNames.lock
        try #require(try stage("echo three > d/three").status == 0)
        // An interruption ends the wait, as a minute does.
        let script = """
            import fcntl, os, signal, struct, subprocess, sys, time
            lock, program, folder, files, device = sys.argv[1:]
            reader = os.open(lock, os.O_RDONLY)
            fcntl.fcntl(reader, 37, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 0, 0))  # F_OFD_SETLK
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            run = subprocess.Popen([program, "backup", "create", folder, "--files", "AppDomain-test=" + files, "--device", device],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            run.stdin.write("246810\\n")
            run.stdin.close()
            while not os.path.exists(os.path.dirname(lock) + "/Snapshot/commit"):
                time.sleep(0.01)
            run.send_signal(signal.SIGINT)
            sys.stdout.write(run.stdout.read())
            sys.exit(run.wait())
            """
        let ending = try Program.run([
            "/usr/bin/python3", "-c", script, lock, Installation.program("latchkey").path, stage.path("b"),
            stage.path("d"), device.directory,
        ])
        let said = String(decoding: ending.output, as: UTF8.self)
        #expect(ending.status == 0 && said.contains("The backup counts"), "\(said) \(ending.complaints)")
        #expect(try device("backup list \(stage.path("b"))").output.contains("AppDomain-test/three"))
        let next = try device(
            "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("d")) --json", input: Self.passcode
        ).json()
        #expect(next["inPlace"] as? Bool == true)
    }
}
