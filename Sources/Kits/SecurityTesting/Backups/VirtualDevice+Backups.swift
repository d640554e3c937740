import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Synchronization

extension VirtualDevice {
    /// The domain of the device's files.
    private static let filesDomain: BackupDomain = "AppDomain-files"
    /// Far fewer than a device's 10,000,000, so that a test need not wait; the backup says how many.
    private static let iterations: UInt32 = 1000

    /// Backs up the items of all apps and the protected files, as Finder does with a phone.
    ///
    /// ```swift
    /// let backup = try device.backup()
    /// let other = try VirtualDevice()
    /// let result = try other.restore(backup)
    /// #expect(result.itemsOfOtherDevice == 0, "everything moves to a new phone")
    /// ```
    ///
    /// - Parameters:
    ///   - encrypted: without it, items come back on this device alone.
    ///   - password: for an encrypted backup. A change of it makes later backups use new keys.
    /// - Throws: ``VirtualDeviceError/Code/backupFailed`` while the device is locked.
    public func backup(
        encrypted: Bool = true, password: String = "backup"
    ) throws(VirtualDeviceError) -> VirtualBackup {
        if encrypted { try setBackupPassword(password) }
        let kind: BeginBackup.Kind = encrypted ? .encrypted : .unencrypted(try Self.emptyPassword())
        let grant = try answer(to: BeginBackup(kind, passcode: knownPasscode), "backup")
        var isComplete = false
        defer { _ = try? answer(to: EndBackup(grant.token, isComplete: isComplete), "backup") }
        let temporary = try TemporaryDirectory()
        return try reportingBackups("backup") {
            let files = files.directory.resolvingSymlinksInPath().path
            let sources = [BackupSource(domain: Self.filesDomain, root: files)].compactMap { $0 }
            let creation = BackupCreation(
                try backupKeychain("backup"), grant, isEncrypted: encrypted, sources: sources,
                device: description(of: grant), applications: [], hasPasscode: knownPasscode != nil,
                now: WallTime(secondsSince2001: Date().timeIntervalSinceReferenceDate)
            ) { _ in
                false
            } proceed: { _, _ in
                true
            }
            let report = try creation.run(in: temporary.url.path)
            isComplete = true
            return VirtualBackup(
                URL(fileURLWithPath: report.path), in: temporary, password: encrypted ? password : nil,
                itemCount: report.items, leftOutItems: report.leftOutItems.mapValues { Int($0) },
                fileCount: report.copied,
                leftOutFiles: report.left.reduce(into: [:]) {
                    $0[Self.name($1.path, below: files)] = Self.word($1.reason)
                })
        }
    }

    /// Restores a backup of this device or of another one.
    ///
    /// As on a phone, items that a backup could hold go first; items that no backup holds stay here.
    ///
    /// - Parameter keepingItems: keeps items that were changed after the backup instead.
    /// - Throws: ``VirtualDeviceError/Code/backupFailed`` while the device is locked, or for a damaged backup.
    @discardableResult
    public func restore(
        _ backup: VirtualBackup, keepingItems: Bool = false
    ) throws(VirtualDeviceError) -> VirtualRestore {
        try reportingBackups("restore") {
            let folder = try BackupFolder(backup.directory.path)
            let manifest = try folder.manifest()
            let keybag = try OpenedBackup.keybag(of: manifest)
            let key = try BackupKeybag.passcodeKey(
                for: SecretBox(copying: Array((backup.password ?? "").utf8)), header: keybag.header)
            let policy: RestorePolicy = keepingItems ? .merge : .replace
            let grant = try answer(
                to: BeginRestore(
                    keybag: manifest.keybag, passwordKey: key, policy: policy, passcode: knownPasscode), "restore")
            defer { _ = try? answer(to: EndBackup(grant.token), "restore") }
            let opened = try OpenedBackup(folder, manifest, keys: BackupKeys(keybag, passcodeKey: key))
            let report = try BackupRestoration(
                opened, to: backupKeychain("restore"), targets: [Self.filesDomain: files.directory.path],
                policy: policy, isDryRun: false, skipsDamage: false
            ) { _ in
                true
            }.run(grant)
            func count(_ outcomes: RestoredItems.Outcome...) -> Int {
                outcomes.reduce(0) { $0 + report.items[$1, default: 0] }
            }
            return VirtualRestore(
                restoredItems: count(.restored, .replaced), keptItems: count(.kept, .identical),
                itemsOfOtherDevice: count(.otherDevice), damagedItems: count(.damaged),
                restoredFiles: report.restored + report.replaced, identicalFiles: report.identical,
                leftOutFiles: Self.leftOutFiles(of: report))
        }
    }

    /// The keychain for the files of a backup. Keys of files go to callers that have an access group, whichever it is.
    private func backupKeychain(_ call: String) throws(VirtualDeviceError) -> any Keychain {
        _ = try ownersKeychain(call)
        return stage.keychain(for: Caller(name: "device owner", accessGroups: ["device.owner"]))
    }

    private static func leftOutFiles(of report: BackupRestoration.Report) -> [String: String] {
        let kept = report.kept.map { ($0, "the entry on the device is newer, or not a file, and stays") }
        let failed = report.failed.map { ($0.path, word($0.reason)) }
        return (kept + failed).reduce(into: [:]) { $0[name($1.0, below: filesDomain.name)] = $1.1 }
    }

    private static func word(_ reason: LeftEntry.Reason) -> String {
        if case .unreadable(let number) = reason { StorageObstacle(systemError: number).reason } else { "\(reason)" }
    }

    private static func word(_ reason: BackupRestoration.FileObstacle) -> String {
        if case .system(let number) = reason { StorageObstacle(systemError: number).reason } else { "\(reason)" }
    }

    /// The name of a file below the directory of files, or below their domain.
    private static func name(_ path: String, below directory: String) -> String {
        path.hasPrefix(directory + "/") ? String(path.dropFirst(directory.utf8.count + 1)) : path
    }

    var knownPasscode: SecretBox? {
        passcode.withLock { $0 }.map { SecretBox(copying: Array($0.utf8)) }
    }

    private static func emptyPassword() throws(VirtualDeviceError) -> BackupPassword {
        try password(BackupPasswordParameters.unencrypted(entropy: SystemEntropy()), "")
    }

    private static func password(
        _ parameters: BackupPasswordParameters, _ text: String
    ) throws(VirtualDeviceError) -> BackupPassword {
        do throws(KeybagUnlockFailure) {
            return BackupPassword(
                parameters, key: try parameters.passcodeKey(for: SecretBox(copying: Array(text.utf8))))
        } catch {
            throw VirtualDeviceError(
                .backupFailed, "backup", reason: "No key can be made of the password.", advice: "Use another one.")
        }
    }

    private func setBackupPassword(_ text: String) throws(VirtualDeviceError) {
        let known = backupPassword.withLock { $0 }
        guard known != text else { return }
        let settings = try answer(to: DescribeBackups(), "backup")
        var current: SecretBox?
        if settings.hasPassword, let known, let header = try? Keybag(parsing: settings.keybag).header {
            current = try? BackupKeybag.passcodeKey(for: SecretBox(copying: Array(known.utf8)), header: header)
        }
        let parameters = BackupPasswordParameters.encrypted(firstIterations: Self.iterations, entropy: SystemEntropy())
        let new = try Self.password(parameters, text)
        _ = try answer(to: SetBackupPassword(current: current, new: new, passcode: knownPasscode), "backup")
        backupPassword.withLock { $0 = text }
    }

    private func description(of grant: BackupGrant) -> DeviceDescription {
        let identifier = Hexadecimal.text(sha256(Array(directory.path.utf8)).prefix(20))
        return DeviceDescription(
            identifier: identifier, name: "Virtual device", serialNumber: "LK" + identifier.prefix(10).uppercased(),
            productType: "Latchkey1,1", productVersion: "14.3", buildVersion: "18C66")
    }

    private func reportingBackups<Value>(
        _ call: String, _ body: () throws -> Value
    ) throws(VirtualDeviceError) -> Value {
        do {
            return try body()
        } catch let error as VirtualDeviceError {
            throw error
        } catch RunFailure.unfinished(let report, let cause) {
            let (reason, advice) = Self.words(cause)
            let items = report.items[.restored, default: 0] + report.items[.replaced, default: 0]
            let done =
                report.isEmpty
                ? "Nothing was restored."
                : "\(items) items and \(report.restored + report.replaced) files were restored before"
                    + (report.device.hasMadePlace ? ", and the items of the device were deleted first." : ".")
            throw VirtualDeviceError(.backupFailed, call, reason: reason, advice: "\(done) \(advice)", of: self)
        } catch {
            let (reason, advice) = Self.words(RunFailure(any: error))
            let done = call == "restore" ? "Nothing was restored. " : ""
            throw VirtualDeviceError(.backupFailed, call, reason: reason, advice: done + advice, of: self)
        }
    }

    private static func words(_ failure: RunFailure) -> (reason: String, advice: String) {
        switch failure {
        case .device(.declined(_, let refusal)): (refusal.reason, refusal.advice)
        case .damage(let files, let items):
            (
                "Damaged in the backup: "
                    + (files.map(\.path) + items.map { "item \($0.number) of \($0.table)" }).joined(separator: ", ")
                    + ".",
                "Make the backup anew."
            )
        case .locked(let path): ("\(path) cannot be read while the device is locked.", "Call unlock(_:) first.")
        case .lockedForWriting(let path):
            ("\(path) cannot be written while the device is locked.", "Call unlock(_:) first.")
        default: ("\(failure)", "Look at the backup's folder.")
        }
    }
}
