import Foundation
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

@Suite("Backups of a virtual device")
struct VirtualBackupTests {
    private static func add(_ account: String, _ accessible: CFString) -> OSStatus {
        SecItemAdd(
            [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecAttrAccessible as String: accessible, kSecValueData as String: Data(account.utf8),
            ] as CFDictionary, nil)
    }

    private static func has(_ account: String) -> Bool {
        SecItemCopyMatching(
            [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account] as CFDictionary, nil)
            == errSecSuccess
    }

    @Test("an app's items move to a new phone, but for those of this device", arguments: [false, true])
    func newPhone(hasPasscode: Bool) throws {
        let (old, new) = (try VirtualDevice(), try VirtualDevice())
        if hasPasscode {
            try old.setPasscode("1234")
            try new.setPasscode("567890")
        }
        let app = old.install("com.example.app", team: "A1B2C3D4E5")
        app.run {
            #expect(Self.add("moves", kSecAttrAccessibleWhenUnlocked) == errSecSuccess)
            #expect(Self.add("stays", kSecAttrAccessibleWhenUnlockedThisDeviceOnly) == errSecSuccess)
        }
        let backup = try old.backup()
        #expect(backup.itemCount == 2 && backup.isEncrypted)
        let result = try new.restore(backup)
        #expect(result.restoredItems == 1 && result.itemsOfOtherDevice == 1 && result.damagedItems == 0)
        new.install("com.example.app", team: "A1B2C3D4E5").run {
            #expect(Self.has("moves") && !Self.has("stays"))
        }
        new.install("com.example.other", team: "A1B2C3D4E5").run { #expect(!Self.has("moves")) }
    }

    @Test("a restore brings back what the backup held, on the same device")
    func sameDevice() throws {
        let device = try VirtualDevice()
        device.run {
            #expect(Self.add("then", kSecAttrAccessibleWhenUnlockedThisDeviceOnly) == errSecSuccess)
        }
        let backup = try device.backup(encrypted: false)
        device.run { #expect(Self.add("later", kSecAttrAccessibleWhenUnlocked) == errSecSuccess) }
        try device.restore(backup, keepingItems: true)
        device.run { #expect(Self.has("then") && Self.has("later")) }
        try device.restore(backup)
        device.run { #expect(Self.has("then") && !Self.has("later")) }
    }

    @Test("a locked device gives no backup, and another password opens none")
    func refused() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        _ = try device.backup(password: "one")
        #expect(try device.backup(password: "two").password == "two")
        device.run { #expect(Self.add("a", kSecAttrAccessibleWhenUnlocked) == errSecSuccess) }
        try device.lock()
        #expect { try device.backup(password: "two") } throws: { ($0 as? VirtualDeviceError)?.code == .backupFailed }
    }
}
