import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyTestSupport
import Testing

/// `latchkey backup rehearse` and `plan` as a person types them.
@Suite("latchkey backup rehearse") struct BackupRehearseTests {
    private static let passcode = "246810\n"
    private static let password = "correct horse"

    private static func names(_ directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
    }

    @Test("it reads everything back, says what is in no backup, and leaves nothing")
    func whole() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        for folder in ["d", "tmp"] {
            try FileManager.default.createDirectory(atPath: stage.path(folder), withIntermediateDirectories: true)
        }
        try stage.write(FileStage.bytes(300_000), to: "d/big")
        #expect(try device("add-generic-password -s mail -a me", input: "moves").status == 0)
        #expect(try device("add-generic-password -s here -a me --accessible aku", input: "stays").status == 0)
        #expect(try device("add-generic-password -s pass -a me --accessible akpu", input: "ends").status == 0)
        try device.setBackupPassword(Self.password)
        let made = try device(
            "backup create --encrypted \(stage.path("b")) --files AppDomain-test=\(stage.path("d")) --json",
            input: Self.passcode
        ).json()
        let folder = try #require(made["path"] as? String)

        // As a rehearsal that was killed leaves it.
        let abandoned = stage.path("tmp/latchkey-rehearsal.abcdef")
        try FileManager.default.createDirectory(
            atPath: abandoned + "/files", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #expect(chmod(abandoned, 0o700) == 0)
        func rehearse() throws -> Ending {
            try stage(
                "echo '\(Self.password)' | $L backup rehearse b --json --device \(device.directory)",
                environment: ["TMPDIR": stage.path("tmp")])
        }
        let rehearsal = try rehearse()
        #expect(rehearsal.status == 0, "\(rehearsal.errors)")
        let report = try rehearsal.json()
        #expect(report["items"] as? Int == 1 && report["read"] as? Int == 1 && report["filesRead"] as? Int == 1)
        #expect((report["lost"] as? [String: Int]) == ["otherDevice": 1])
        #expect((report["inNoBackup"] as? [String: Int]) == ["passcodeSet": 1])
        #expect(try Self.names(stage.path("tmp")).isEmpty)

        // One byte of an item's seal.
        let payload = folder + "/\(FileID.keychain.folder)/\(FileID.keychain)"
        var bytes = try stage.bytes(String(payload.dropFirst(stage.directory.count + 1)))
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: payload))
        let damaged = try rehearse()
        #expect(damaged.status == 65)
        #expect(try damaged.json()["whole"] as? Bool == false)
        #expect(try Self.names(stage.path("tmp")).isEmpty)
    }

    @Test("the plan shows both kinds of backup, and where files go")
    func plan() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try FileManager.default.createDirectory(atPath: stage.path("d"), withIntermediateDirectories: true)
        try stage.write(Array("text".utf8), to: "d/file")
        #expect(try device("add-generic-password -s mail -a me", input: "moves").status == 0)
        #expect(try device("add-generic-password -s here -a me --accessible aku", input: "stays").status == 0)
        #expect(try device("add-generic-password -s pass -a me --accessible akpu", input: "ends").status == 0)
        let line = "backup plan --files AppDomain-test=\(stage.path("d"))"
        let plan = try device(line + " --json").json()
        let items = try #require(plan["items"] as? [[String: Any]])
        func verdicts(_ key: String) -> [String: String] {
            Dictionary(
                items.compactMap { row in
                    guard let accessible = row["accessible"] as? String, let verdict = row[key] as? String else {
                        return nil
                    }
                    return (accessible, verdict)
                }
            ) { one, _ in one }
        }
        #expect(verdicts("verdict") == ["ak": "any-device", "aku": "this-device", "akpu": "passcodeSet"])
        #expect(verdicts("withoutPassword") == ["ak": "this-device", "aku": "this-device", "akpu": "passcodeSet"])
        let files = try #require((plan["files"] as? [[String: Any]])?.first)
        #expect(files["verdict"] as? String == "any-device" && files["withoutPassword"] as? String == "any-device")
        let text = try device(line).output
        #expect(text.contains("to any device; without a password to this device alone"), "\(text)")
        #expect(text.contains("AppDomain-test  in clear  1 file  4 bytes  to any device"), "\(text)")
    }

    @Test("a damaged item is named, and restored around with leave alone")
    func damagedItem() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        for number in 1...3 {
            #expect(try device("add-generic-password -s s\(number) -a me", input: "secret").status == 0)
        }
        let made = try device("backup create \(stage.path("b")) --json", input: Self.passcode).json()
        let folder = try #require(made["path"] as? String)
        let backup = try BackupFolder(folder)
        let list = try KeychainBackupReader(PayloadReader(backup.payload(.keychain), of: .keychain, key: nil))
        var blob: [UInt8] = []
        try list.visit { item in
            blob = item?.blob ?? []
            return false
        }
        let path = "\(FileID.keychain.folder)/\(FileID.keychain)"
        var bytes = try stage.bytes(String(folder.dropFirst(stage.directory.count + 1)) + "/" + path)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: blob) })
        bytes[start + blob.count - 1] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + path))

        let verify = try device("backup verify \(stage.path("b"))")
        #expect(verify.status == 65 && verify.output.contains("KeychainDomain/keychain-backup.plist"))
        #expect(try device("delete-generic-password -s s2 -a me").status == 0)
        let refused = try device("backup restore \(stage.path("b"))", input: Self.passcode)
        #expect(refused.status == 65 && refused.output.contains("keychain-backup.plist"), "\(refused.output)")
        #expect(try device("find-generic-password -s s2 -a me").status == 44)
        #expect(try device("backup restore -n \(stage.path("b"))", input: Self.passcode).status == 65)
        let restored = try device("backup restore --skip-damaged \(stage.path("b")) --json", input: Self.passcode)
        #expect(restored.status == 34)
        let report = try restored.json()
        let damaged = try #require(report["damagedItems"] as? [[String: Any]])
        #expect(damaged.count == 1 && damaged[0]["table"] as? String == "genp" && damaged[0]["number"] as? Int == 1)
        #expect((report["items"] as? [String: Int])?["restored"] == 1)
        #expect(!restored.output.contains("me\"") && !restored.output.contains("s1"))
    }
}
