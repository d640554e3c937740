import Foundation
import Security
import SecurityTesting
import Testing

/// The devices of a person, each with an app of one team.
struct LaboratoryApps {
    let lab: SyncLaboratory
    /// The names of the devices at the beginning.
    let names: [String]
    private var apps: [String: VirtualApp]

    init(_ names: [String] = ["phone", "laptop"], seed: UInt64 = 42) throws {
        lab = try SyncLaboratory(devices: names, seed: seed)
        self.names = names
        apps = Dictionary(
            uniqueKeysWithValues: names.map { [lab] in
                ($0, lab[$0].install("com.example.notes", team: "A1B2C3D4E5"))
            })
    }

    /// Installs the app on a device that came later.
    mutating func install(on name: String) {
        apps[name] = lab[name].install("com.example.notes", team: "A1B2C3D4E5")
    }

    func on<R>(_ name: String, _ body: () throws -> R) rethrows -> R {
        guard let app = apps[name] else { preconditionFailure("no device \(name)") }
        return try app.run(body)
    }

    func add(
        _ account: String, _ secret: String, on name: String,
        _ accessible: CFString = kSecAttrAccessibleWhenUnlocked, synchronizable: Bool = true
    ) -> OSStatus {
        on(name) {
            SecItemAdd(
                [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrService: "notes",
                    kSecAttrSynchronizable: synchronizable, kSecAttrAccessible: accessible,
                    kSecValueData: Data(secret.utf8),
                ] as CFDictionary, nil)
        }
    }

    func update(_ account: String, _ secret: String, on name: String) -> OSStatus {
        on(name) { SecItemUpdate(query(account), [kSecValueData: Data(secret.utf8)] as CFDictionary) }
    }

    func delete(_ account: String, on name: String) -> OSStatus {
        on(name) { SecItemDelete(query(account)) }
    }

    func query(_ account: String, _ more: [CFString: Any] = [:]) -> CFDictionary {
        more.merging(
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: account,
                kSecAttrSynchronizable: kSecAttrSynchronizableAny,
            ], uniquingKeysWith: { one, _ in one }) as CFDictionary
    }

    /// The secret of an item; nil if the device does not find it.
    func secret(_ account: String, on name: String) throws -> String? {
        try attributes(account, on: name)?[kSecValueData as String].map {
            String(decoding: try #require($0 as? Data), as: UTF8.self)
        }
    }

    func attributes(_ account: String, on name: String) throws -> [String: Any]? {
        var result: CFTypeRef?
        let status = on(name) {
            SecItemCopyMatching(
                query(account, [kSecReturnAttributes: true, kSecReturnData: true]), &result)
        }
        if status == errSecItemNotFound || status == errSecInteractionNotAllowed { return nil }
        try #require(status == errSecSuccess)
        return try #require(result as? [String: Any])
    }
}
