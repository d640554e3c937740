import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyFileAccess
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyTestSupport
import Security
import SecurityTesting
import Testing

/// A machine of a test: a virtual device, a home directory, and a place for backups.
final class Machine {
    static let passcode = "1234"
    static let password = "correct horse"

    let device: VirtualDevice
    let keychain: any Keychain
    let vault: FileVault
    let path: String
    /// Long before now, so that no file is too young to be believed.
    var fileTime = Int64(Date().timeIntervalSince1970 * 1_000_000_000) + 3_600_000_000_000

    private let hasPasscode: Bool

    init(hasPasscode: Bool = true) throws {
        self.hasPasscode = hasPasscode
        device = try VirtualDevice()
        if hasPasscode { try device.setPasscode(Self.passcode) }
        keychain = try device.run { try CurrentKeychain.keychain() }
        vault = FileVault.of(keychain)
        path = FileManager.default.temporaryDirectory.path + "/latchkey-\(UUID().uuidString)"
        for folder in [path, home, backups] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    private var passcode: SecretBox? { hasPasscode ? Self.box(Self.passcode) : nil }

    var home: String { path + "/home" }
    var backups: String { path + "/backups" }
    var folder: String { backups + "/" + description.identifier }

    let description = DeviceDescription(
        identifier: "00112233445566778899aabbccddeeff00112233", name: "test", serialNumber: "LK0001",
        productType: "Latchkey1,1", productVersion: "14.3", buildVersion: "18C66")

    static func box(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    // MARK: Items

    @discardableResult
    func add(_ account: String, _ accessible: CFString, _ secret: String, sync: Bool = false) -> OSStatus {
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

    func secret(_ account: String) -> String? {
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

    func deleteItems() {
        device.run {
            _ = SecItemDelete(
                [
                    kSecClass as String: kSecClassGenericPassword,
                    kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
                ] as CFDictionary)
        }
    }

    // MARK: Files

    func write(_ name: String, _ bytes: [UInt8], _ protection: FileProtection? = nil) throws {
        let place = home + "/" + name
        try FileManager.default.createDirectory(
            atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        guard let protection else { return try Data(bytes).write(to: URL(fileURLWithPath: place)) }
        try unsafe bytes.withUnsafeBytes { try unsafe vault.replace(place, with: $0, protection, permissions: 0o600) }
    }

    /// The content of a file, protected or in clear.
    func content(_ name: String, in directory: String? = nil) throws -> [UInt8] {
        try vault.reading((directory ?? home) + "/" + name) { opened in
            switch opened {
            case .protected(let file):
                var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
                let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(at: 0, into: $0) }
                #expect(count == bytes.count)
                return bytes
            case .clear(let descriptor):
                var bytes = [UInt8](repeating: 0, count: Int(try descriptor.status().st_size))
                _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe descriptor.read(at: 0, into: $0) }
                return bytes
            }
        }
    }

    // MARK: Backups

    func setPassword(_ password: String = Machine.password) throws {
        let parameters = BackupPasswordParameters.encrypted(firstIterations: 10, entropy: SystemEntropy())
        let key = try parameters.passcodeKey(for: Self.box(password))
        try keychain.ask(
            SetBackupPassword(
                current: nil, new: BackupPassword(parameters, key: key), passcode: passcode))
    }

    func beginBackup(encrypted: Bool) throws -> BackupGrant {
        let kind: BeginBackup.Kind
        if encrypted {
            kind = .encrypted
        } else {
            let parameters = BackupPasswordParameters.unencrypted(entropy: SystemEntropy())
            kind = .unencrypted(BackupPassword(parameters, key: try parameters.passcodeKey(for: Self.box(""))))
        }
        return try keychain.ask(BeginBackup(kind, passcode: passcode))
    }

    @discardableResult
    func backUp(
        encrypted: Bool, stoppingAt point: BackupStage.Point? = nil, sources: [BackupSource]? = nil
    ) throws -> BackupCreation.Report {
        let grant = try beginBackup(encrypted: encrypted)
        let home = try #require(BackupSource(domain: BackupSource.home, root: home))
        var creation = BackupCreation(
            keychain, grant, isEncrypted: encrypted, sources: sources ?? [home], device: description,
            applications: [], hasPasscode: true, now: 700_000_000, fileTime: fileTime
        ) { _ in
            false
        } proceed: { _, _ in
            true
        }
        if let point {
            creation.testOnlyAt = { (reached) throws(BackupFailure) in if reached == point { throw .cancelled } }
        }
        return try creation.run(in: backups)
    }

    func opened(password: String = Machine.password) throws -> OpenedBackup {
        let folder = try BackupFolder.find(backups)
        let isEncrypted = try folder.manifest().isEncrypted
        return try OpenedBackup(folder, password: Self.box(isEncrypted ? password : ""))
    }

    func beginRestore(of backup: OpenedBackup, _ policy: RestorePolicy) throws -> BackupGrant {
        let keybag = try OpenedBackup.keybag(of: backup.manifest)
        let key = try BackupKeybag.passcodeKey(
            for: Self.box(backup.manifest.isEncrypted ? Self.password : ""), header: keybag.header)
        return try keychain.ask(
            BeginRestore(
                keybag: backup.manifest.keybag, passwordKey: key, policy: policy, passcode: passcode))
    }

    @discardableResult
    func restore(
        _ backup: OpenedBackup, to target: String, _ policy: RestorePolicy = .merge, isDryRun: Bool = false,
        skipsDamage: Bool = false
    ) throws -> BackupRestoration.Report {
        try BackupRestoration(
            backup, to: keychain, targets: [BackupSource.home: target], policy: policy, isDryRun: isDryRun,
            skipsDamage: skipsDamage
        ) { _ in
            true
        }.run(beginRestore(of: backup, policy))
    }
}
