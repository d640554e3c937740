import Foundation
import Glibc
import LatchkeyBackupFormat
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyKeychainMessages
import Security
import SecurityTesting
import Testing

/// Something of a backup is damaged: everything that is, is named, and the rest is restored only with leave.
@Suite("Damaged backups")
struct DamageTests {
    private static let accounts = (0..<6).map { "account \($0)" }
    private static let files = ["a", "b/c", "d"]

    enum Damage: String, CaseIterable, Sendable {
        case flipped, cut, missing, exchanged, unreadable

        /// Does it to the payload of a file.
        func apply(to path: String, other: String) throws {
            let url = URL(fileURLWithPath: path)
            var bytes = Array(try Data(contentsOf: url))
            switch self {
            case .flipped: bytes[bytes.count / 2] ^= 1
            case .cut: bytes.removeLast(16)
            case .missing: return try FileManager.default.removeItem(at: url)
            case .exchanged: bytes = Array(try Data(contentsOf: URL(fileURLWithPath: other)))
            case .unreadable:
                // A directory in its place: also root cannot read it as a file.
                try FileManager.default.removeItem(at: url)
                return try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            }
            try Data(bytes).write(to: url)
        }
    }

    private static func machine(isEncrypted: Bool) throws -> Machine {
        let machine = try Machine(hasPasscode: false)
        for account in accounts {
            #expect(machine.add(account, kSecAttrAccessibleWhenUnlocked, "secret of \(account)") == errSecSuccess)
        }
        for (number, file) in files.enumerated() {
            try machine.write(file, [UInt8](repeating: UInt8(number), count: 4000 + 100 * number))
        }
        try machine.setPassword()
        try machine.backUp(encrypted: isEncrypted)
        return machine
    }

    private static func payload(_ id: FileID, _ machine: Machine) -> String {
        machine.folder + "/" + id.folder + "/\(id)"
    }

    /// Returns the names that a restore without leave refuses; it brings nothing back.
    private static func refused(
        _ machine: Machine, _ backup: OpenedBackup
    ) throws -> (files: [BackupRestoration.FailedFile], items: [DamagedItem]) {
        machine.deleteItems()
        let target = machine.path + "/restored"
        do {
            _ = try machine.restore(backup, to: target, .replace)
            Issue.record("a damaged backup was restored")
        } catch RunFailure.damage(let files, let items) {
            #expect(!FileManager.default.fileExists(atPath: target))
            for account in accounts { #expect(machine.secret(account) == nil) }
            return (files, items)
        }
        return ([], [])
    }

    @Test(
        "damaged files are all named, and nothing is restored without leave", arguments: Damage.allCases, [true, false])
    func files(_ damage: Damage, isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        let names = [Self.files[0], Self.files[2]]
        let other = Self.payload(FileID(domain: .home, path: Self.files[1]), machine)
        for name in names {
            try damage.apply(to: Self.payload(FileID(domain: .home, path: name), machine), other: other)
        }
        let backup = try machine.opened()
        let (files, items) = try Self.refused(machine, backup)
        #expect(Set(files.map(\.path)) == Set(names.map { "HomeDomain/" + $0 }) && items.isEmpty)
        let dry = try machine.restore(backup, to: machine.path + "/restored", isDryRun: true)
        #expect(Set(dry.failed.map(\.path)) == Set(files.map(\.path)))
        let report = try machine.restore(backup, to: machine.path + "/restored", skipsDamage: true)
        #expect(Set(report.failed.map(\.path)) == Set(files.map(\.path)) && !report.isWhole)
        #expect(report.restored == 1 && report.byteCount == 4100)
        #expect(report.items[.restored] == Self.accounts.count)
        #expect(try machine.content(Self.files[1], in: machine.path + "/restored").count == 4100)
    }

    @Test(
        "a list of items that cannot be read is named, and files come with leave",
        arguments: Damage.allCases.filter { $0 != .flipped }, [true, false])
    func list(_ damage: Damage, isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        let other = Self.payload(FileID(domain: .home, path: Self.files[1]), machine)
        try damage.apply(to: Self.payload(.keychain, machine), other: other)
        let backup = try machine.opened()
        let check = try BackupCheck(backup) { _ in true }
        #expect(check.findings.map(\.path) == [BackupNames.keychainFile])
        #expect(try Self.refused(machine, backup).files.map(\.path) == ["KeychainDomain/keychain-backup.plist"])
        let report = try machine.restore(backup, to: machine.path + "/restored", skipsDamage: true)
        #expect(report.failed.map(\.path) == ["KeychainDomain/keychain-backup.plist"] && !report.isWhole)
        #expect(report.restored == Self.files.count)
        // Without the items, nothing of the backup is damaged.
        let files = try machine.restore(backup, to: machine.path + "/files", withItems: false)
        #expect(files.isWhole && files.restored == Self.files.count)
    }

    /// Alters the sealed part of an item in the payload of its backup.
    private static func damageItem(_ number: Int, _ machine: Machine) throws {
        let backup = try machine.opened()
        var blob: [UInt8] = []
        try backup.items()?.visitEntries { entry in
            if entry.number == number { blob = entry.item?.blob ?? [] }
            return true
        }
        let path = Self.payload(.keychain, machine)
        let record = try #require(try backup.index.record(.keychain))
        var list: [UInt8] = []
        try backup.content(of: record).pieces(tag: nil) { piece throws(BackupFailure) in list += Array(piece) }
        let start = try #require(list.indices.first { list[$0...].starts(with: blob) })
        // In the sealed part of the item: in CBC a block and one bit of the next one change.
        let place = start + blob.count - 40
        var stored = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        stored[place] ^= 1
        try Data(stored).write(to: URL(fileURLWithPath: path))
    }

    @Test("a damaged item is named by its place, and nothing is restored without leave", arguments: [true, false])
    func item(isEncrypted: Bool) throws {
        let machine = try Self.machine(isEncrypted: isEncrypted)
        try Self.damageItem(3, machine)
        let backup = try machine.opened()
        let check = try BackupCheck(backup) { _ in true }
        let named = DamagedItem(table: "genp", number: 3)
        #expect(check.findings.map(\.path) == [BackupNames.keychainFile] && check.items == Self.accounts.count)
        // Without a password, items open on the device alone: there the payload's tag speaks for them.
        #expect(check.damagedItems == (isEncrypted ? [named] : []))
        let refused = try Self.refused(machine, backup)
        #expect(refused.files.map(\.path) == ["KeychainDomain/keychain-backup.plist"])
        #expect(refused.items == check.damagedItems)
        let report = try machine.restore(backup, to: machine.path + "/restored", skipsDamage: true)
        #expect(report.damagedItems == [named] && report.items[.damaged] == 1 && !report.isWhole)
        #expect(report.items[.restored] == Self.accounts.count - 1 && report.restored == Self.files.count)
        #expect(Self.accounts.count { machine.secret($0) == "secret of \($0)" } == Self.accounts.count - 1)
    }

    @Test("a file that is not restored need not be whole")
    func unchosen() throws {
        let machine = try Self.machine(isEncrypted: true)
        try Damage.missing.apply(to: Self.payload(FileID(domain: .home, path: "a"), machine), other: "")
        machine.deleteItems()
        let report = try BackupRestoration(
            machine.opened(), to: machine.keychain, targets: [:], policy: .merge, isDryRun: false, skipsDamage: false
        ) { _ in
            true
        }.run(machine.beginRestore(of: machine.opened(), .merge))
        #expect(report.isWhole && report.items[.restored] == Self.accounts.count)
    }

    @Test("a virtual device restores nothing of a damaged backup")
    func virtualDevice() throws {
        let device = try VirtualDevice()
        device.run {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "a",
                kSecValueData as String: Data("secret".utf8),
            ]
            #expect(SecItemAdd(query as CFDictionary, nil) == errSecSuccess)
        }
        let backup = try device.backup()
        let payload = backup.directory.path + "/\(FileID.keychain.folder)/\(FileID.keychain)"
        try Damage.cut.apply(to: payload, other: "")
        #expect {
            try device.restore(backup)
        } throws: {
            guard let error = $0 as? VirtualDeviceError else { return false }
            return error.code == .backupFailed && "\(error)".contains(BackupNames.keychainFile)
        }
        device.run {
            let query: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "a",
            ]
            #expect(SecItemCopyMatching(query as CFDictionary, nil) == errSecSuccess)
        }
    }
}
