import Foundation

/// Values in the keychain. The file imports Foundation alone, as many do on Apple platforms.
public struct Vault {
    public let service: String
    public let group: String?

    public init(service: String = Bundle.main.bundleIdentifier!, group: String? = nil) {
        self.service = service
        self.group = group
    }

    private func query(_ account: String) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let group { query[kSecAttrAccessGroup as String] = group }
        return query
    }

    public func set(_ data: Data, for account: String) -> OSStatus {
        SecItemDelete(query(account) as CFDictionary)
        return SecItemAdd(query(account).merging([kSecValueData as String: data]) { $1 } as CFDictionary, nil)
    }

    public func data(for account: String) -> Data? {
        var found: CFTypeRef?
        let query = query(account).merging([kSecReturnData as String: true]) { $1 }
        guard SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return found as? Data
    }
}
