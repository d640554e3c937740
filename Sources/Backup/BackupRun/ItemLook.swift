package import LatchkeyBackupFormat
import LatchkeyBackupItems
package import LatchkeyItemModel
import LatchkeyKeybag
package import LatchkeySecretMemory

/// An item of a backup that cannot be read, by its place in the list: its account, and all else that its program chose,
/// is left out.
package struct DamagedItem: Sendable, Hashable {
    /// `genp`, `inet`, `cert` or `keys`.
    package let table: String
    /// From 1, in its table.
    package let number: Int
    /// The access group; nil if the item does not open.
    package let group: String?

    package init(table: String, number: Int, group: String? = nil) {
        self.table = table
        self.number = number
        self.group = group
    }
}

/// The place of an item in the list of a backup.
package struct ItemPosition: Sendable, Hashable {
    package let table: String
    /// From 1, in its table.
    package let number: Int
}

/// One look at the items of a backup: each that the backup's own keys open is opened and decoded.
///
/// Items that are bound to their device open there alone. The tag of their payload speaks for them.
package struct ItemLook {
    package private(set) var count = 0
    package private(set) var damaged: [DamagedItem] = []
    /// Items that only the device that was backed up can open.
    package private(set) var boundCount = 0
    /// The number of items that open, by access group.
    package private(set) var groups: [String: Int] = [:]

    /// An item that was opened.
    package struct Opened {
        package let table: String
        package let number: Int
        package let item: StoredItem
        package let secret: SecretBox?
    }

    private static let pageLength = 256

    /// - Parameters:
    ///   - found: is given each item that opens.
    ///   - proceed: returns false to end.
    package init(
        _ list: KeychainBackupReader, _ keys: BackupKeys, found: (Opened) throws -> Void = { _ in },
        proceed: () -> Bool
    ) throws {
        var page: [(entry: KeychainBackupReader.Entry, blob: ItemBlob)] = []
        try list.visitEntries { entry in
            count += 1
            if let item = entry.item, let blob = try? ItemBlob(item.blob) {
                page.append((entry, blob))
            } else {
                note(entry)
            }
            if page.count == Self.pageLength { try open(&page, keys, found) }
            return proceed()
        }
        try open(&page, keys, found)
        damaged.sort { ($0.table, $0.number) < ($1.table, $1.number) }
    }

    private mutating func note(_ entry: KeychainBackupReader.Entry, group: String? = nil) {
        damaged.append(DamagedItem(table: entry.table, number: entry.number, group: group))
    }

    private mutating func open(
        _ page: inout [(entry: KeychainBackupReader.Entry, blob: ItemBlob)], _ keys: BackupKeys,
        _ found: (Opened) throws -> Void
    ) throws {
        guard !page.isEmpty else { return }
        let opened = try keys.open(
            page.map { WrappedBackupKey(classNumber: $0.blob.classNumber, bytes: $0.blob.wrappedKey) })
        for ((entry, blob), outcome) in zip(page, opened) {
            guard let key = try? outcome.get() else {
                if Self.isBound(blob, outcome) { boundCount += 1 } else { note(entry) }
                continue
            }
            guard let itemClass = ItemClass(rawValue: entry.table), let plaintext = try? blob.opened(with: key) else {
                note(entry)
                continue
            }
            let decoded = Result { () throws(ItemDictionary.Failure) in
                try ItemDictionary.decode(plaintext, of: itemClass)
            }
            switch decoded {
            case .success(let (item, secret)):
                groups[item.accessGroup, default: 0] += 1
                if Self.isOfClass(blob, item) {
                    try found(Opened(table: entry.table, number: entry.number, item: item, secret: secret))
                } else {
                    note(entry, group: item.accessGroup)
                }
            // Nothing is wrong with it: no release restores it.
            case .failure(.unknownClass): break
            case .failure(.damaged): note(entry)
            }
        }
        page = []
    }

    /// True for an item of a class whose key is bound to the device.
    private static func isBound(_ blob: ItemBlob, _ outcome: Result<SecretBox, BackupFailure>) -> Bool {
        guard case .failure(.keyMissing) = outcome else { return false }
        let classes = KeyClass.whenUnlocked.rawValue...KeyClass.alwaysThisDeviceOnly.rawValue
        return UInt8(exactly: blob.classNumber).map { classes.contains($0) } ?? false
    }

    /// True if the class in the item is that of its key.
    private static func isOfClass(_ blob: ItemBlob, _ item: StoredItem) -> Bool {
        KeyClass(item.accessible).map { Int($0.rawValue) == blob.classNumber } ?? true
    }
}
