import Foundation
import Glibc
package import LatchkeyBackupFormat
package import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
package import LatchkeyFileAccess
package import LatchkeyKeybag
package import LatchkeyKeychainMessages
package import LatchkeySecretMemory

/// A home directory and a place for backups, on a device.
package class BackedUpHome {
    package static let passcode = "1234"
    package static let password = "correct horse"

    package let keychain: any Keychain
    package let vault: FileVault
    package let path: String
    /// Long before now, so that no file is too young to be believed.
    package var fileTime = Int64(Date().timeIntervalSince1970 * 1_000_000_000) + 3_600_000_000_000
    private let hasPasscode: Bool

    /// - Parameter path: of the directory with the home directory and the place for backups.
    package init(_ keychain: any Keychain, path: String, hasPasscode: Bool = true) {
        self.keychain = keychain
        self.path = path
        self.hasPasscode = hasPasscode
        vault = FileVault.of(keychain)
    }

    package static func box(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

    private var passcode: SecretBox? { hasPasscode ? Self.box(Self.passcode) : nil }

    package var home: String { path + "/home" }
    package var backups: String { path + "/backups" }
    package var folder: String { backups + "/" + description.identifier }

    package let description = DeviceDescription(
        identifier: "00112233445566778899aabbccddeeff00112233", name: "test", serialNumber: "LK0001",
        productType: "Latchkey1,1", productVersion: "14.3", buildVersion: "18C66")

    // MARK: Files

    /// - Parameter directory: the home directory if nil.
    package func write(
        _ name: String, _ bytes: [UInt8], _ protection: FileProtection? = nil, in directory: String? = nil
    ) throws {
        let place = (directory ?? home) + "/" + name
        try FileManager.default.createDirectory(
            atPath: (place as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        guard let protection else { return try Data(bytes).write(to: URL(fileURLWithPath: place)) }
        try unsafe bytes.withUnsafeBytes { try unsafe vault.replace(place, with: $0, protection, permissions: 0o600) }
    }

    /// The content of a file, protected or in clear.
    package func content(_ name: String, in directory: String? = nil) throws -> [UInt8] {
        try vault.reading((directory ?? home) + "/" + name) { opened in
            switch opened {
            case .protected(let file):
                var bytes = [UInt8](repeating: 0, count: Int(try file.size()))
                let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(at: 0, into: $0) }
                precondition(count == bytes.count, "a file has its size")
                return bytes
            case .clear(let descriptor):
                var bytes = [UInt8](repeating: 0, count: Int(try descriptor.status().st_size))
                _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe descriptor.read(at: 0, into: $0) }
                return bytes
            }
        }
    }

    // MARK: Backups

    package func setPassword(_ password: String = BackedUpHome.password) throws {
        let parameters = BackupPasswordParameters.encrypted(firstIterations: 10, entropy: SystemEntropy())
        let key = try parameters.passcodeKey(for: Self.box(password))
        try keychain.ask(
            SetBackupPassword(
                current: nil, new: BackupPassword(parameters, key: key), passcode: passcode))
    }

    package func beginBackup(encrypted: Bool) throws -> BackupGrant {
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
    package func backUp(
        encrypted: Bool, under grant: BackupGrant? = nil, stoppingAt point: BackupStage.Point? = nil,
        sources: [BackupSource]? = nil, patience: LockPatience = .none,
        proceed: @escaping (BackupCreation.Phase, Int) -> Bool = { _, _ in true }
    ) throws -> BackupCreation.Report {
        let grant = try grant ?? beginBackup(encrypted: encrypted)
        guard let home = BackupSource(domain: BackupSource.home, root: home) else { throw RunFailure.cancelled }
        var creation = BackupCreation(
            keychain, grant, isEncrypted: encrypted, sources: sources ?? [home], device: description,
            applications: [], hasPasscode: true, now: 700_000_000, fileTime: fileTime,
            isExcluded: { _ in false }, proceed: proceed)
        if let point {
            creation.testOnlyAt = { (reached) throws(BackupFailure) in if reached == point { throw .cancelled } }
        }
        return try creation.run(in: backups, patience: patience)
    }

    package func opened(password: String = BackedUpHome.password) throws -> OpenedBackup {
        let folder = try BackupFolder.find(backups)
        let isEncrypted = try folder.manifest().isEncrypted
        return try OpenedBackup.opened(folder, password: Self.box(isEncrypted ? password : "")).backup
    }

    /// The key of the password of a backup.
    package func passwordKey(of backup: OpenedBackup) throws -> SecretBox {
        let keybag = try OpenedBackup.keybag(of: backup.manifest)
        return try BackupKeybag.passcodeKey(
            for: Self.box(backup.manifest.isEncrypted ? Self.password : ""), header: keybag.header)
    }

    package func beginRestore(of backup: OpenedBackup, _ policy: RestorePolicy) throws -> BackupGrant {
        try keychain.ask(
            BeginRestore(
                keybag: backup.manifest.keybag, passwordKey: passwordKey(of: backup), policy: policy,
                passcode: passcode))
    }

    @discardableResult
    /// - Parameter proceed: is told of what was restored; looking at the backup before never ends.
    package func restore(
        _ backup: OpenedBackup, to target: String, _ policy: RestorePolicy = .merge, isDryRun: Bool = false,
        skipsDamage: Bool = false, withItems: Bool = true, proceed: @escaping (Int) -> Bool = { _ in true }
    ) throws -> BackupRestoration.Report {
        var restoration = BackupRestoration(
            backup, to: keychain, targets: [BackupSource.home: target], policy: policy, isDryRun: isDryRun,
            skipsDamage: skipsDamage, proceed: proceed)
        restoration.proceedLooking = { _ in true }
        return try restoration.run(withItems ? beginRestore(of: backup, policy) : nil)
    }
}
