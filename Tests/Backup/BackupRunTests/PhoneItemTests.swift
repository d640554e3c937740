import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

/// Passwords that a phone's backup brings, read by the code that stored them there: account, service and access group are what
/// they were.
@Suite("Items of a phone, for ported code")
struct PhoneItemTests {
    /// A device with the items of the encrypted sample, which others made.
    private static func machine() throws -> Machine {
        let machine = try Machine(hasPasscode: false)
        let sample = Vectors.folder.appendingPathComponent("backup/sample-encrypted")
        let folder = try BackupFolder(
            sample.appendingPathComponent("dac88922d4f60fc2f935846f8b33ceec63901597").path)
        let manifest = try folder.manifest()
        let keybag = try OpenedBackup.keybag(of: manifest)
        let key = try BackupKeybag.passcodeKey(
            for: Machine.box("correct horse battery staple"), header: keybag.header)
        let grant = try machine.keychain.ask(
            BeginRestore(keybag: manifest.keybag, passwordKey: key, policy: .keep, passcode: nil))
        let backup = try OpenedBackup(folder, manifest, keys: BackupKeys(keybag, passcodeKey: key))
        let report = try BackupRestoration(
            backup, to: machine.keychain, targets: [:], policy: .keep, keepsOwners: false, isDryRun: false,
            skipsDamage: false
        ) { _ in
            true
        }.run(grant)
        #expect(report.items == [.restored: 5, .otherDevice: 3])
        return machine
    }

    private static func app(on machine: Machine) -> VirtualApp {
        machine.device.install(
            "org.example.app",
            entitlements: Entitlements(
                keychainAccessGroups: ["org.example.app", "com.apple.cfnetwork"],
                applicationIdentifier: "org.example.app"))
    }

    private static func data(_ query: [CFString: Any]) -> Data? {
        var found: CFTypeRef?
        return SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess ? found as? Data : nil
    }

    @Test("a password is found by account and service")
    func accountAndService() throws {
        let machine = try Self.machine()
        Self.app(on: machine).run {
            let passwords: [(account: String, service: String, secret: Data)] = [
                ("alice", "mail", Data("s3cret".utf8)), ("bob", "wifi", Data("pässwörd".utf8)),
                ("carol", "always", Data([0, 1, 2, 255])),
            ]
            for (account, service, secret) in passwords {
                let query: [CFString: Any] = [
                    kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrService: service,
                    kSecReturnData: true,
                ]
                #expect(Self.data(query) == secret, "\(account)")
            }
            #expect(
                Self.data([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "dave", kSecReturnData: true]) == nil)
        }
        // Another app has other groups.
        machine.device.install("com.example.other", team: "A1B2C3D4E5").run {
            #expect(
                Self.data([kSecClass: kSecClassGenericPassword, kSecAttrAccount: "alice", kSecReturnData: true]) == nil)
        }
    }

    /// The queries that libraries build: `KeychainAccess` names every kind of synchronization and the port of the address,
    /// `SAMKeychain` lists the accounts of a service.
    @Test("the queries of well-known wrappers find the sample's passwords")
    func wrappersOfTheSample() throws {
        Self.app(on: try Self.machine()).run {
            let keychainAccess: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
                kSecAttrService: "mail", kSecAttrAccessGroup: "org.example.app", kSecAttrAccount: "alice",
                kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true,
            ]
            #expect(Self.data(keychainAccess) == Data("s3cret".utf8))
            let address: [CFString: Any] = [
                kSecClass: kSecClassInternetPassword, kSecAttrSynchronizable: kSecAttrSynchronizableAny,
                kSecAttrServer: "example.org", kSecAttrPort: 443, kSecAttrProtocol: kSecAttrProtocolHTTPS,
                kSecAttrAuthenticationType: kSecAttrAuthenticationTypeHTMLForm, kSecAttrAccount: "grace",
                kSecMatchLimit: kSecMatchLimitOne, kSecReturnData: true,
            ]
            #expect(Self.data(address) == Data("hunter2".utf8))
            let samKeychain: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "wifi", kSecMatchLimit: kSecMatchLimitAll,
                kSecReturnAttributes: true,
            ]
            var found: CFTypeRef?
            #expect(SecItemCopyMatching(samKeychain as CFDictionary, &found) == errSecSuccess)
            let accounts = (found as? [[String: Any]])?.map { $0[kSecAttrAccount as String] as? String }
            #expect(accounts == ["bob"])
        }
    }

    struct Wrapper: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let isDataAccount: Bool
        let hasService: Bool
        let hasGeneric: Bool
        let isAnySynchronizable: Bool
        let serviceIsKey: Bool

        init(
            _ name: String, dataAccount: Bool = false, service: Bool = true, generic: Bool = false,
            anySynchronizable: Bool = false, serviceIsKey: Bool = false
        ) {
            testDescription = name
            (isDataAccount, hasService, hasGeneric) = (dataAccount, service, generic)
            (isAnySynchronizable, self.serviceIsKey) = (anySynchronizable, serviceIsKey)
        }

        /// The attributes that name the item, as the library writes them.
        var name: [CFString: Any] {
            var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword]
            if serviceIsKey {
                query[kSecAttrService] = "com.example.mail.key"
                return query
            }
            query[kSecAttrAccount] = isDataAccount ? Data("key".utf8) : "key"
            if hasService { query[kSecAttrService] = "com.example.mail" }
            if hasGeneric { query[kSecAttrGeneric] = Data("key".utf8) }
            return query
        }

        var search: [CFString: Any] {
            var query = name
            if isAnySynchronizable { query[kSecAttrSynchronizable] = kSecAttrSynchronizableAny }
            query[kSecMatchLimit] = kSecMatchLimitOne
            query[kSecReturnData] = true
            return query
        }
    }

    static let wrappers = [
        Wrapper("KeychainAccess", anySynchronizable: true), Wrapper("SAMKeychain"),
        Wrapper("SwiftKeychainWrapper", dataAccount: true, generic: true), Wrapper("KeychainSwift", service: false),
        Wrapper("Lockbox of old", serviceIsKey: true),
    ]

    @Test("what a wrapper stored on one device it finds on the next", arguments: wrappers)
    func moved(_ wrapper: Wrapper) throws {
        let (old, new) = (try Machine(), try Machine())
        old.device.install("com.example.mail", team: "A1B2C3D4E5").run {
            var item = wrapper.name
            item[kSecValueData] = Data("secret".utf8)
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlock
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }
        try old.setPassword()
        try old.backUp(encrypted: true)
        #expect(try new.restore(old.opened(), to: new.path + "/restored").items == [.restored: 1])
        new.device.install("com.example.mail", team: "A1B2C3D4E5").run {
            #expect(Self.data(wrapper.search) == Data("secret".utf8))
            // The library's own next write replaces the item instead of adding a second one.
            let changes = [kSecValueData: Data("new".utf8)] as CFDictionary
            #expect(SecItemUpdate(wrapper.name as CFDictionary, changes) == errSecSuccess)
            #expect(Self.data(wrapper.search) == Data("new".utf8))
        }
    }
}
