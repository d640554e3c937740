import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `latchkey import ios-backup` with backups that were made by others (`Fixtures/Vectors/backup`).
@Suite("latchkey import ios-backup") struct BackupOfPhoneTests {
    private static let password = "correct horse battery staple"
    private static let secrets = "246810\n\(password)\n"

    @Test("apps are shown first; what is chosen comes, and nothing is overwritten")
    func chosenApps() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        let backup = try Self.backup("encrypted")
        let shown = try device(["import", "ios-backup", backup, "--json"], input: Self.secrets).json()
        let apps = try #require(shown["apps"] as? [[String: Any]])
        #expect(apps.compactMap { $0["app"] as? String }.first == "com.apple.cfnetwork")
        let app = try #require(apps.first { $0["app"] as? String == "org.example.app" })
        #expect(app["items"] as? Int == 4 && app["new"] as? Int == 4 && app["files"] as? Int == 1)
        #expect(shown["otherDevice"] as? Int == 3 && shown["damaged"] as? Int == 0)
        // Looking changed nothing.
        #expect(try device("dump-keychain").output.contains("org.example.app") == false)

        #expect(try device(["import", "ios-backup", backup, "--app", "none"], input: Self.secrets).status == 44)
        #expect(try device(["import", "ios-backup", backup, "--all"], input: "246810\nwrong\n").status == 61)
        #expect(
            try device(["import", "ios-backup", backup, "--all"], input: "111111\n\(Self.password)\n").status == 20)

        let files = stage.path("new/files")
        let come = ["import", "ios-backup", backup, "--app", "org.example.app", "--files", files]
        let imported = try device(come + ["--json"], input: Self.secrets).json()
        #expect((imported["items"] as? [String: Int])?["restored"] == 4 && imported["files"] as? Int == 1)
        // It has its class, and the owner of this process.
        let file = stage.path("new/files/AppDomain-org.example.app/Documents/classD.bin")
        #expect(try stage("$L file cat \(file) --device \(device.directory) | wc -c").output == "31\n")
        #expect(try device("file class \(file)").output.hasPrefix("none"))
        #expect(try stage("stat -c %u \(file)").output == "\(getuid())\n")
        #expect(!stage.has("new/files/HomeDomain"))
        #expect(try device("dump-keychain").output.contains("com.apple.cfnetwork") == false)

        // A second time there is nothing to do, also with --overwrite.
        let again = try device(come + ["--overwrite", "--json"], input: Self.secrets).json()
        #expect((again["items"] as? [String: Int])?["identical"] == 4 && again["files"] as? Int == 0)
        let all = try device(["import", "ios-backup", backup, "--all", "--json"], input: Self.secrets).json()
        #expect((all["items"] as? [String: Int])?["restored"] == 1)
    }

    @Test("a backup without a password has files, and its items open on the iPhone alone")
    func withoutPassword() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        let backup = try Self.backup("unencrypted")
        let shown = try device(["import", "ios-backup", backup, "--json"], input: "246810\n").json()
        #expect(shown["otherDevice"] as? Int == 8 && shown["damaged"] as? Int == 0)
        let imported = try device(
            ["import", "ios-backup", backup, "--all", "--files", stage.path("f"), "--json"], input: "246810\n"
        ).json()
        #expect((imported["items"] as? [String: Int])?["otherDevice"] == 8)
        // Eight files and a link.
        #expect(imported["files"] as? Int == 9)
        #expect(stage.has("f/CameraRollDomain/Media/DCIM/100APPLE/IMG_0001.BIN"))
    }

    /// The folder of a sample.
    private static func backup(_ kind: String) throws -> String {
        let folder = Vectors.folder.appendingPathComponent("backup/sample-\(kind)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return folder.appendingPathComponent(try #require(names.first { $0.count == 40 })).path
    }
}
