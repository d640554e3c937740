import CLatchkeyBenchPeers
import Foundation
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Backups in a process of its own: the device is opened in it.
///
/// Commands: `files COUNT BYTES` makes the folder that is backed up, `items COUNT` a device with so many items; `full`, `again`
/// and `restore` back up and restore; `copy-in` and `copy-out` do as much with libcrypto alone; `peak` answers with the
/// resident memory of this process during the last restore, in bytes.
final class BackupClient {
    private let root: String
    static let passwordText = "correct horse"
    private static let password = SecretBox(copying: Array(passwordText.utf8))
    private let key = (0..<32).map { UInt8($0) }
    private let passwordKey: SecretBox
    private let parameters: BackupPasswordParameters
    private let description = DeviceDescription(
        identifier: String(repeating: "ab", count: 20), name: "bench", serialNumber: "LK0001",
        productType: "Latchkey1,1", productVersion: "14.3", buildVersion: "18C66")
    private var devices: [EmbeddedDevice] = []
    private var keychain: any Keychain
    private var peakByteCount: UInt64 = 0

    /// - Parameter root: the folder of this client, and of others of the same row.
    init(_ root: String) throws {
        self.root = root
        // The password is stretched before the run, and that takes as long as it is told to.
        parameters = .encrypted(firstIterations: 10, entropy: SystemEntropy())
        passwordKey = try parameters.passcodeKey(for: Self.password)
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        (keychain, devices) = try Self.device(root + "/device-\(getpid())")
        try setPassword()
    }

    func serve() {
        Worker.serve { [self] words in
            let numbers = words.compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("files", 2): return try makeFiles(numbers[0], byteCount: numbers[1])
            case ("items", 1): return try makeItems(numbers[0])
            case ("full", 0): return try full()
            case ("again", 0): return try backUp(expectedUnchanged: true)
            case ("restore", 0): return try restore()
            case ("copy-in", 0): return try copy(encrypting: true)
            case ("copy-out", 0): return try copy(encrypting: false)
            case ("peak", 0): return peakByteCount
            case ("remove", 0): return try nanoseconds { try FileManager.default.removeItem(atPath: root) }
            default: throw Failure("unknown command")
            }
        }
        for device in devices { device.close() }
    }

    private static func device(_ directory: String) throws -> (any Keychain, [EmbeddedDevice]) {
        let device = try EmbeddedDevice(
            directory: directory, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: .fixed(log2Cost: 4))
        let caller = Caller(name: "latchkey", accessGroups: [AccessGroupList.everything], isOwnersTool: true)
        return (device.keychain(for: caller), [device])
    }

    private func setPassword() throws {
        _ = try keychain.ask(
            SetBackupPassword(current: nil, new: BackupPassword(parameters, key: passwordKey), passcode: nil))
    }

    // MARK: Subjects

    private var source: String { root + "/source" }
    private var backups: String { root + "/backups" }

    /// A thousand files in each directory.
    private func makeFiles(_ count: Int, byteCount: Int) throws -> UInt64 {
        try? FileManager.default.removeItem(atPath: source)
        let content = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
        return try nanoseconds {
            for number in 0..<count {
                let directory = source + "/\(number / 1000)"
                if number % 1000 == 0 {
                    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                }
                try content.write(to: URL(fileURLWithPath: directory + "/\(number)"))
            }
        }
    }

    /// The time is that of the adds, by many threads at once.
    private func makeItems(_ count: Int) throws -> UInt64 {
        let directory = root + "/device-\(count)"
        let time = try nanoseconds { try Population.fill(directory, count) }
        let opened: [EmbeddedDevice]
        (keychain, opened) = try Self.device(directory)
        devices += opened
        try setPassword()
        return time
    }

    // MARK: Runs

    private func full() throws -> UInt64 {
        try? FileManager.default.removeItem(atPath: backups)
        try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: false)
        return try backUp(expectedUnchanged: false)
    }

    private func backUp(expectedUnchanged: Bool) throws -> UInt64 {
        var report: BackupCreation.Report?
        let time = try nanoseconds {
            let grant = try keychain.ask(BeginBackup(.encrypted, passcode: nil))
            let sources =
                FileManager.default.fileExists(atPath: source)
                ? [BackupSource(domain: BackupSource.home, root: source)].compactMap { $0 } : []
            let creation = BackupCreation(
                keychain, grant, isEncrypted: true, sources: sources, device: description, applications: [],
                hasPasscode: false, now: WallTime(secondsSince2001: Date().timeIntervalSinceReferenceDate),
                // An hour from now: no file is too young to be believed.
                fileTime: Int64(Date().timeIntervalSince1970 * 1e9) + 3_600_000_000_000
            ) { _ in
                false
            } proceed: { _, _ in
                true
            }
            report = try creation.run(in: backups)
            _ = try keychain.ask(EndBackup(grant.token, isComplete: true))
        }
        guard let report, report.left.isEmpty, (report.copied == 0) == expectedUnchanged || report.items > 0 else {
            throw Failure("the backup is not what was expected: \(String(describing: report))")
        }
        return time
    }

    /// Onto a new device, and to a new folder.
    private func restore() throws -> UInt64 {
        let target = root + "/restored"
        try? FileManager.default.removeItem(atPath: target)
        try? FileManager.default.removeItem(atPath: root + "/device-new")
        let (other, opened) = try Self.device(root + "/device-new")
        defer { for device in opened { device.close() } }
        var report: BackupRestoration.Report?
        try PeakMemory.restart()
        let time = try nanoseconds {
            let folder = try BackupFolder.find(backups)
            let manifest = try folder.manifest()
            let keybag = try OpenedBackup.keybag(of: manifest)
            let key = try BackupKeybag.passcodeKey(for: Self.password, header: keybag.header)
            let backup = try OpenedBackup(folder, manifest, keys: BackupKeys(keybag, passcodeKey: key))
            let grant = try other.ask(
                BeginRestore(keybag: manifest.keybag, passwordKey: key, policy: .merge, passcode: nil))
            report = try BackupRestoration(
                backup, to: other, targets: [BackupSource.home: target], policy: .merge, isDryRun: false,
                skipsDamage: false
            ) { _ in
                true
            }.run(grant)
        }
        peakByteCount = try PeakMemory.peak()
        guard let report, report.failed.isEmpty, report.items.keys.allSatisfy({ $0 == .restored }) else {
            throw Failure("the restore is not what was expected: \(String(describing: report))")
        }
        return time
    }

    /// As much as a backup or its restore copies, one file after the other.
    private func copy(encrypting: Bool) throws -> UInt64 {
        let (sealed, opened) = (root + "/copy", root + "/copy-out")
        let names = try FileManager.default.subpathsOfDirectory(atPath: source).filter { $0.contains("/") }
        try FileManager.default.createDirectory(atPath: sealed, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: opened)
        try FileManager.default.createDirectory(atPath: opened, withIntermediateDirectories: true)
        var outcome: Int32 = 0
        let time = nanoseconds {
            for (number, name) in names.enumerated() {
                let (from, to) =
                    encrypting
                    ? (source + "/" + name, sealed + "/\(number)") : (sealed + "/\(number)", opened + "/\(number)")
                outcome |= lkb_copy_cbc(from, to, key, encrypting ? 1 : 0)
            }
        }
        try? FileManager.default.removeItem(atPath: opened)
        guard outcome == 0 else { throw Failure("libcrypto did not run over a file") }
        return time
    }
}
