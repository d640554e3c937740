internal import LatchkeyBackupItems
internal import LatchkeyItemModel
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The attributes of an item in a record: its class (4 bytes of ASCII), 1 if it has a secret, even an empty one, or 0 (1), and the DER
/// dictionary that backups use, without the secret.
enum ItemCoding {
    private static let classByteCount = 4

    static func hasSecret(_ attributes: [UInt8]) -> Bool {
        attributes.count > classByteCount && attributes[classByteCount] == 1
    }

    static func attributes(of item: StoredItem, hasSecret: Bool) -> [UInt8] {
        let dictionary = ItemDictionary.encode(item, secret: nil)
        return unsafe dictionary.withBytes {
            unsafe Array(item.itemClass.rawValue.utf8) + [hasSecret ? 1 : 0] + Array($0)
        }
    }

    /// Returns nil for attributes that no item of a circle can have.
    static func item(_ attributes: [UInt8], secret: SecretBox?, named name: ItemName) -> RemoteItem? {
        guard attributes.count > classByteCount, attributes[classByteCount] <= 1,
            hasSecret(attributes) == (secret != nil),
            let text = String(validating: attributes.prefix(classByteCount), as: UTF8.self),
            let itemClass = ItemClass(rawValue: text),
            let dictionary = try? ItemDictionary.decode(
                SecretBox(copying: Array(attributes.dropFirst(classByteCount + 1))), of: itemClass),
            dictionary.secret == nil
        else { return nil }
        return RemoteItem(name: name.bytes, item: dictionary.item, secret: secret)
    }

    static func dates(of item: StoredItem) -> ItemDates {
        ItemDates(
            created: UInt64(clamping: AttributeKind.microseconds(item.creationDate)),
            modified: UInt64(clamping: AttributeKind.microseconds(item.modificationDate)))
    }
}
