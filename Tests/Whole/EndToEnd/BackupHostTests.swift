import Foundation
import Testing

/// `latchkey escrow` as a person types it.
@Suite("latchkey escrow") struct BackupHostTests {
    private static let password = "correct horse"

    @Test("a host backs up and restores while the device is locked, until it is revoked")
    func lockedDevice() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        #expect(try device("add-generic-password -s mail -a me", input: "moves").status == 0)
        try device.setBackupPassword(Self.password)
        let (keybag, backups) = (stage.path("host.keybag"), stage.path("backups"))
        #expect(try device("escrow create \(keybag) --name nightly", input: "111111\n").status == 20)
        #expect(!stage.has("host.keybag"))
        #expect(try device("escrow create \(keybag) --name nightly", input: "246810\n").status == 0)
        #expect(try stage("stat -c %a host.keybag").output == "600\n")
        // No second one over the first.
        #expect(try device("escrow create \(keybag)", input: "246810\n").status != 0)
        #expect(try device("escrow list").output.contains("nightly"))

        #expect(try device("lock --now").status == 0)
        #expect(try device("escrow use \(keybag)").status == 64)
        #expect(try device("escrow use \(keybag) backup create \(backups)").status != 0)
        let made = try device("escrow use \(keybag) backup create --encrypted \(backups) --json").json()
        #expect(made["items"] as? Int == 1)
        // Everyone else finds a locked device.
        #expect(try device.lockState() == "locked")
        #expect(try device("find-generic-password -s mail -a me -w").status == 36)

        let restore = "escrow use \(keybag) backup restore \(backups) --json"
        let restored = try device(restore, input: "\(Self.password)\n").json()
        #expect((restored["items"] as? [String: Int])?["identical"] == 1)
        #expect(try device.lockState() == "locked")

        // Another device knows no such host.
        let other = try ThrowawayDevice.unlocked()
        try other.setBackupPassword(Self.password)
        let elsewhere = try other("backup create --encrypted --host \(keybag) \(stage.path("other"))")
        #expect(elsewhere.status != 0 && !stage.has("other/Manifest.plist"))

        // A copy with one other byte opens nothing.
        var forged = try stage.bytes("host.keybag")
        forged[forged.count - 1] ^= 1
        try stage.write(forged, to: "forged")
        #expect(try device("backup create --encrypted --host \(stage.path("forged")) \(backups)").status != 0)
        try stage.write(Array("no keybag".utf8), to: "noise")
        #expect(try device("backup create --encrypted --host \(stage.path("noise")) \(backups)").status != 0)

        #expect(try device("escrow revoke \(keybag)").status == 0)
        #expect(try device("escrow revoke \(keybag)").status != 0)
        #expect(try device("backup create --encrypted --host \(keybag) \(backups)").status != 0)
        #expect(try device("backup verify \(backups)", input: "\(Self.password)\n").status == 0)
    }

    @Test("a new passcode ends all hosts")
    func newPasscode() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try device.setBackupPassword(Self.password)
        let keybag = stage.path("host.keybag")
        #expect(try device("escrow create \(keybag)", input: "246810\n").status == 0)
        #expect(try device("passcode change", input: "246810\n135791\n").status == 0)
        #expect(try device("escrow list").output.contains("No host"))
        #expect(try device("backup create --encrypted --host \(keybag) \(stage.path("b"))").status != 0)
    }
}
