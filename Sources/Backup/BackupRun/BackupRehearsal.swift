import Glibc
package import LatchkeyBackupFormat
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyFileAccess
import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeyKeychainMessages
package import LatchkeySecretMemory

/// One rehearsal: a backup is restored to a throwaway device and a throwaway folder, then everything is read back from
/// there and compared with the backup, byte for byte.
package struct BackupRehearsal {
    package let check: BackupCheck
    package let report: BackupRestoration.Report
    /// Items and files that were read back as the backup has them.
    package private(set) var itemsRead = 0
    package private(set) var filesRead = 0
    /// Items that the device took and does not give back as the backup has them.
    package private(set) var alteredItems: [DamagedItem] = []
    /// Files, directories and links that were restored and are not there as the backup has them.
    package private(set) var alteredFiles: [String] = []

    /// True if everything that can be restored on another machine was restored, and read back.
    package var isWhole: Bool {
        check.isSound && report.isWhole && alteredItems.isEmpty && alteredFiles.isEmpty
    }

    /// The content that a restore of a backup brings, in bytes.
    package static func byteCount(of backup: OpenedBackup) throws -> UInt64 {
        var count: UInt64 = 0
        try backup.index.visit { row in
            if let record = try? row.get(), record.kind == .file { count &+= UInt64(max(0, record.size)) }
            return true
        }
        return count
    }

    /// - Parameters:
    ///   - passwordKey: of the backup's password.
    ///   - keychain: of a device that has no passcode and no items.
    ///   - folder: an empty directory.
    ///   - proceed: is told of bytes that were read or written, and returns false to end.
    package init(
        _ backup: OpenedBackup, passwordKey: SecretBox, on keychain: any Keychain, in folder: String,
        proceed: @escaping (Int) -> Bool
    ) throws {
        check = try BackupCheck(backup, proceed: proceed)
        var domains: Set<BackupDomain> = []
        try backup.index.visit { row in
            if let record = try? row.get(), record.domain != .keychain { domains.insert(record.domain) }
            return true
        }
        let grant: BackupGrant
        do throws(DeviceRefusal) {
            grant = try keychain.ask(
                BeginRestore(
                    keybag: backup.manifest.keybag, passwordKey: passwordKey, policy: .merge, passcode: nil))
        } catch {
            throw RunFailure.device(error)
        }
        report = try BackupRestoration(
            backup, to: keychain, destinations: Dictionary(domains.map { ($0, .folder(folder)) }) { one, _ in one },
            policy: .merge, keepsOwners: false, isDryRun: false, skipsDamage: true, proceed: proceed
        ).run(grant)
        try compareItems(backup, keychain, proceed)
        try compareFiles(backup, FileVault.of(keychain), folder, proceed)
    }

    // MARK: Items

    private struct ItemName: Hashable {
        let itemClass: ItemClass
        let primaryKey: [UInt8]
    }

    private struct Expected {
        let item: DamagedItem
        /// One for each item of that name: the backup of another maker may have two.
        var digests: Set<[UInt8]>
    }

    private mutating func compareItems(
        _ backup: OpenedBackup, _ keychain: any Keychain, _ proceed: (Int) -> Bool
    ) throws {
        // A list that cannot be read is named by the check.
        guard let list = try? backup.items() else { return }
        var expected: [ItemName: Expected] = [:]
        _ = try ItemLook(list, backup.keys) { found in
            guard !report.leftItems.contains(ItemPosition(table: found.table, number: found.number)) else { return }
            let name = ItemName(itemClass: found.item.itemClass, primaryKey: found.item.primaryKeyBytes)
            let item = DamagedItem(table: found.table, number: found.number, group: found.item.accessGroup)
            expected[name, default: Expected(item: item, digests: [])].digests.insert(
                Self.digest(found.item, found.secret))
        } proceed: {
            proceed(0)
        }
        try Self.visitItems(of: keychain) { item, secret in
            let name = ItemName(itemClass: item.itemClass, primaryKey: item.primaryKeyBytes)
            if let known = expected[name], known.digests.contains(Self.digest(item, secret)) {
                expected[name] = nil
                itemsRead += 1
            }
            guard proceed(0) else { throw RunFailure.cancelled }
        }
        alteredItems = expected.values.map(\.item).sorted { ($0.table, $0.number) < ($1.table, $1.number) }
    }

    /// Stands for all attributes, dates and the secret of an item. Dates count in microseconds, as a device keeps them.
    private static func digest(_ item: StoredItem, _ secret: SecretBox?) -> [UInt8] {
        var item = item
        item.attributes[.digest] = nil
        item.creationDate = Double(AttributeKind.microseconds(item.creationDate)) / 1_000_000
        item.modificationDate = Double(AttributeKind.microseconds(item.modificationDate)) / 1_000_000
        var digest = RunningDigest(.sha256)
        unsafe ItemDictionary.encode(item, secret: secret).withBytes { unsafe digest.update($0) }
        return digest.finish()
    }

    /// Opens every item of a device: through a backup of it, whose password is gone afterwards.
    private static func visitItems(
        of keychain: any Keychain, _ body: (StoredItem, SecretBox?) throws -> Void
    ) throws {
        let parameters = BackupPasswordParameters.encrypted(firstIterations: 1, entropy: SystemEntropy())
        let key = try parameters.passcodeKey(for: SecretBox(copying: SystemEntropy().bytes(32)))
        let grant: BackupGrant
        do throws(DeviceRefusal) {
            _ = try keychain.ask(
                SetBackupPassword(current: nil, new: BackupPassword(parameters, key: key), passcode: nil))
            grant = try keychain.ask(BeginBackup(.encrypted, passcode: nil))
        } catch {
            throw RunFailure.device(error)
        }
        let keys = try BackupKeys(Keybag(parsing: grant.keybag), passcodeKey: key)
        var place: ItemPlace?
        repeat {
            let page: BackedUpItems
            do throws(DeviceRefusal) {
                page = try keychain.ask(BackUpItems(grant.token, after: place))
            } catch {
                throw RunFailure.device(error)
            }
            for sealed in page.items {
                // One that does not open was not read back.
                guard let itemClass = ItemClass(rawValue: sealed.itemClass), let blob = try? ItemBlob(sealed.blob),
                    let itemKey = try? keys.open(
                        WrappedBackupKey(classNumber: blob.classNumber, bytes: blob.wrappedKey)),
                    let plaintext = try? blob.opened(with: itemKey),
                    let (item, secret) = try? ItemDictionary.decode(plaintext, of: itemClass)
                else { continue }
                try body(item, secret)
            }
            place = page.next
        } while place != nil
    }

    // MARK: Files

    private mutating func compareFiles(
        _ backup: OpenedBackup, _ vault: FileVault, _ folder: String, _ proceed: (Int) -> Bool
    ) throws {
        let failed = Set(report.failed.map { Array($0.path.utf8) })
        var target: (domain: BackupDomain, open: RestoreTarget?)?
        try backup.index.visit { row in
            guard let record = try? row.get(), record.domain != .keychain,
                !failed.contains(Array(record.name.utf8))
            else { return true }
            if target?.domain != record.domain {
                let name = FileName(record.domain.name)
                target = (record.domain, try RestoreTarget(name, in: folder, isMade: false))
            }
            guard let open = target?.open, try Self.isSame(record, in: open, backup, vault, proceed) else {
                alteredFiles.append(record.name)
                return true
            }
            if record.kind != .directory { filesRead += 1 }
            guard proceed(0) else { throw RunFailure.cancelled }
            return true
        }
    }

    private static func isSame(
        _ record: FileRecord, in target: RestoreTarget, _ backup: OpenedBackup, _ vault: FileVault,
        _ proceed: (Int) -> Bool
    ) throws -> Bool {
        do {
            switch record.kind {
            case .directory: return try target.directory(record.path, isMade: false) != nil
            case .link:
                guard let place = try target.place(record.path, isMade: false), let text = record.target else {
                    return false
                }
                return try place.directory.target(ofLink: place.name) == FileName(text)
            case .file:
                guard let place = try target.place(record.path, isMade: false) else { return false }
                let restored = try SourceContent(place, vault)
                let stored = try backup.content(of: record)
                guard restored.size == stored.size, restored.protection == record.restoredProtection else {
                    return false
                }
                return try isSame(restored, stored, tag: record.tag, proceed)
            }
        } catch is AccessFailure {
            return false
        }
    }

    private static func isSame(
        _ restored: SourceContent, _ stored: PayloadReader, tag: [UInt8]?, _ proceed: (Int) -> Bool
    ) throws -> Bool {
        var offset: UInt64 = 0
        var isSame = true
        do throws(BackupFailure) {
            try unsafe stored.pieces(tag: tag) { piece throws(BackupFailure) in
                guard isSame, unsafe !piece.isEmpty else { return }
                let buffer = SecretBuffer(count: piece.count)
                let count = unsafe (try? restored.read(at: offset, into: buffer.bytes)) ?? 0
                isSame = unsafe count == piece.count && piece.elementsEqual(buffer.bytes)
                offset += UInt64(piece.count)
                guard proceed(piece.count) else { throw .cancelled }
            }
        } catch .cancelled {
            throw RunFailure.cancelled
        }
        return isSame
    }
}
