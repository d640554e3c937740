import Foundation
import LatchkeyDevice
package import Security
package import SecurityTesting

/// A machine of tests: a virtual device, a home directory, and a place for backups.
package final class Machine: BackedUpHome {
    package let device: VirtualDevice

    package init(hasPasscode: Bool = true) throws {
        device = try VirtualDevice()
        if hasPasscode { try device.setPasscode(Self.passcode) }
        let path = FileManager.default.temporaryDirectory.path + "/latchkey-\(UUID().uuidString)"
        super.init(try device.run { try CurrentKeychain.keychain() }, path: path, hasPasscode: hasPasscode)
        for folder in [path, home, backups] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    @discardableResult
    package func add(_ account: String, _ accessible: CFString, _ secret: String, sync: Bool = false) -> OSStatus {
        device.run {
            var query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecAttrService as String: "service", kSecAttrAccessible as String: accessible,
                kSecValueData as String: Data(secret.utf8),
            ]
            if sync { query[kSecAttrSynchronizable as String] = true }
            return SecItemAdd(query as CFDictionary, nil)
        }
    }

    package func secret(_ account: String) -> String? {
        device.run {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: account,
                kSecReturnData as String: true, kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
            ]
            var found: CFTypeRef?
            guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
            return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    package func deleteItems() {
        device.run {
            _ = SecItemDelete(
                [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
                ] as CFDictionary)
        }
    }
}
