import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `latchkey backup` as a person types it. Each use of the password takes seconds by intent, so there are few.
@Suite("latchkey backup") struct BackupTests {
    private static let password = "correct horse"

    @Test("items and files move to another machine, and what stays is said")
    func roundTrip() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        let backup = "\(stage.path("backups"))"
        try FileManager.default.createDirectory(atPath: stage.path("files/sub"), withIntermediateDirectories: true)
        try stage.write(FileStage.bytes(300_000), to: "files/sub/big")
        try stage.write(Array("clear".utf8), to: "files/clear")
        try #require(try device("file protect \(stage.path("files/sub")) --class complete --yes").status == 0)
        #expect(try device("add-generic-password -s mail -a me", input: "moves").status == 0)
        #expect(try device("add-generic-password -s here -a me --accessible aku", input: "stays").status == 0)

        let plan = try device("backup plan --json --files AppDomain-test=\(stage.path("files"))").json()
        let verdicts = (plan["items"] as? [[String: Any]])?.compactMap { $0["verdict"] as? String }
        #expect(Set(verdicts ?? []) == ["any-device", "this-device"])

        #expect(try device("status").output.contains("a lost disk is a lost keychain"))
        // Refused before anything is asked or written.
        let tooEarly = try device("backup create --encrypted \(backup)", input: "246810\n")
        #expect(tooEarly.status == 26 && !stage.has("backups"))
        #expect(try device("backup password set", input: "246810\n\(Self.password)\n").status == 0)
        #expect(try device("backup password set", input: "").status == 25)
        #expect(try device("backup create --encrypted \(backup)", input: "111111\n").status == 20)
        let create = "backup create --encrypted \(backup) --files AppDomain-test=\(stage.path("files")) --json"
        let made = try device(create, input: "246810\n").json()
        #expect(made["items"] as? Int == 2 && made["copied"] as? Int == 2 && made["full"] as? Bool == true)
        let folder = try #require(made["path"] as? String)
        #expect(try permissions(folder) == 0o700)
        #expect(try device("status --json").json()["lastBackup"] is String)

        let shown = try device("backup inspect \(backup) --json").json()
        #expect(shown["encrypted"] as? Bool == true && shown["rounds"] as? Int == 10_000_000)
        #expect(shown["weak"] as? Bool == false)

        // No text of an item, a file or a name lies in the folder.
        let grep = try stage("grep -rlaE 'moves|stays|clear|files|mail' backups")
        #expect(grep.status == 1, "\(grep.output)")

        let other = try ThrowawayDevice()
        #expect(try other("start").status == 0)
        let restored = try other(
            "backup restore \(backup) --to AppDomain-test=\(stage.path("restored")) --json",
            input: "\(Self.password)\n"
        ).json()
        let outcomes = restored["items"] as? [String: Int]
        #expect(outcomes?["restored"] == 1 && outcomes?["otherDevice"] == 1)
        #expect(try other("find-generic-password -s mail -a me -w").output == "moves\n")
        #expect(try other("find-generic-password -s here -a me").status == 44)
        #expect(
            try stage(
                "$L file cat restored/sub/big --device \(other.directory) | cmp - <($L file cat files/sub/big --device \(device.directory))"
            ).status == 0)
        #expect(try stage("cat restored/clear").output == "clear")
        #expect(try other("file class \(stage.path("restored/sub/big"))").output.hasPrefix("complete"))

        // Locked, the items of the class cannot be read, and there is no backup without them.
        #expect(try device("lock --now").status == 0)
        let locked = try device("backup create --encrypted \(backup)", input: "246810\n")
        #expect(locked.status == 36 || locked.status == 40, "\(locked.errors)")
        #expect(!stage.has("backups/" + (folder as NSString).lastPathComponent + "/Snapshot"))
    }

    @Test("a wrong password, no backup and damage end with their codes")
    func failures() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try stage.write(Array("text".utf8), to: "file")
        let create = "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("file"))"
        #expect(try device(create, input: "246810\n").status == 32)
        try FileManager.default.createDirectory(atPath: stage.path("d"), withIntermediateDirectories: true)
        try stage.write(Array("text".utf8), to: "d/file")
        let made = try device(
            "backup create \(stage.path("b")) --files AppDomain-test=\(stage.path("d")) --json", input: "246810\n"
        ).json()
        let folder = try #require(made["path"] as? String)
        #expect(try device("backup verify \(stage.path("b"))").status == 0)
        #expect(try device("backup verify \(stage.path("d"))").status == 32)
        #expect(try device("backup extract \(stage.path("b")) AppDomain-test/none -o \(stage.path("o"))").status == 44)
        #expect(!stage.has("o"))
        #expect(try device("backup extract \(stage.path("b")) AppDomain-test/file -o \(stage.path("o"))").status == 0)
        #expect(try stage.bytes("o") == Array("text".utf8))
        #expect(try device("backup list \(stage.path("b"))").output.contains("4  4  AppDomain-test/file"))
        // The payload of the file, altered without another length.
        #expect(try stage("f=$(grep -rlx text \(folder)); printf 'tExt' > \"$f\"").status == 0)
        let damaged = try device("backup verify \(stage.path("b"))")
        #expect(damaged.status == 65 && damaged.output.contains("AppDomain-test/file"))
        let target = "--to AppDomain-test=\(stage.path("r"))"
        #expect(try device("backup restore \(stage.path("b")) --no-items \(target)").status == 65)
        #expect(try device("backup restore \(stage.path("b")) --no-items --skip-damaged \(target)").status == 34)
        #expect(!stage.has("r/file"))
    }

    private func permissions(_ path: String) throws -> Int {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return Int(status.st_mode & 0o777)
    }
}
