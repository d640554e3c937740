import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Turns items into rows and back. Associated data ties both ciphertexts to row identity, class and group, so that no
/// ciphertext can be moved to another row; the attributes to marks, dates and the item key besides. An item key seals one
/// secret, so no older secret of the row opens beside newer attributes.
struct RowSealing: Sendable {
    let keys: ProtectionKeys
    let entropy: any Entropy

    /// The clear and the encrypted parts of an item's row. The search key comes from outside the transaction: making it is
    /// a transaction of its own.
    func row(
        of item: StoredItem, number: Int64, isTombstone: Bool = false, syncIdentifier: [UInt8],
        secret: SealedSecret = .none, metadataKey: SecretBox, searchKey: SecretBox
    ) throws(Setback) -> ItemRow {
        guard let keyClass = KeyClass(item.accessible) else { throw .call(.keyDamaged) }
        let tokens = SearchTokens(key: searchKey, itemClass: item.itemClass)
        var row = ItemRow(
            rowID: number, itemClass: item.itemClass, accessGroup: item.accessGroup, keyClass: keyClass.rawValue,
            isSynchronizable: item.isSynchronizable, isTombstone: isTombstone,
            creationDate: AttributeKind.microseconds(item.creationDate),
            modificationDate: AttributeKind.microseconds(item.modificationDate), identifier: item.identifier,
            syncIdentifier: syncIdentifier, primaryKey: tokens.primaryKey(of: item), tokens: tokens.tokens(of: item),
            binding: secret.bytes == nil ? .withoutSecret : .withSecret, sealedAttributes: [],
            sealedSecret: secret.bytes, wrappedItemKey: secret.wrappedItemKey)
        let plaintext = Self.encoded(item)
        row.sealedAttributes = unsafe plaintext.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: row), entropy: entropy)
        }
        return row
    }

    /// The item of a row, if the metadata key of its class is there.
    /// - Parameter transaction: the reader of the transaction that the row was read in, if it was in one.
    func item(of row: ItemRow, in transaction: ItemReader? = nil) throws(Setback) -> StoredItem {
        guard let keyClass = KeyClass(rawValue: row.keyClass), let accessible = keyClass.protectionClass else {
            throw .key(.damaged)
        }
        let key = try keys.metadataKey(toRead: keyClass, in: transaction)
        guard
            let opened = attributes(of: row, key),
            var attributes = try? unsafe opened.withBytes({ try unsafe [AttributeName: PropertyValue](der: $0) }),
            case .data(let bytes)? = attributes.removeValue(forKey: .accessControl),
            let accessControl = try? AccessControl(serialised: bytes)
        else { throw .key(.damaged) }
        return StoredItem(
            itemClass: row.itemClass, attributes: attributes, accessGroup: row.accessGroup, accessible: accessible,
            accessControl: accessControl, isSynchronizable: row.isSynchronizable,
            creationDate: Double(row.creationDate) / 1_000_000,
            modificationDate: Double(row.modificationDate) / 1_000_000, identifier: row.identifier)
    }

    /// Seals a secret under a fresh item key. The key must never seal another one.
    /// - Parameter secret: nil for an item with conditions and without data: its key is the door alone.
    func sealed(
        _ secret: SecretBox?, of item: StoredItem, itemKey: SecretBox, wrapped: [UInt8]
    ) -> SealedSecret {
        guard let secret else { return SealedSecret(wrappedItemKey: wrapped, bytes: nil) }
        let bytes = unsafe SecretPadding.padded(secret).withBytes {
            unsafe AESGCM.seal(
                $0, key: itemKey, associatedData: Self.secretAssociatedData(of: item), entropy: entropy)
        }
        return SealedSecret(wrappedItemKey: wrapped, bytes: bytes)
    }

    /// A row of format 4 or older with its attributes bound to its item key.
    func bound(_ row: ItemRow, metadataKey: SecretBox) throws(Setback) -> ItemRow {
        guard row.binding == .none, let opened = attributes(of: row, metadataKey) else { throw .key(.damaged) }
        var bound = row
        bound.binding = row.sealedSecret == nil ? .withoutSecret : .withSecret
        bound.sealedAttributes = unsafe opened.withBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: bound), entropy: entropy)
        }
        return bound
    }

    /// The encoded attributes; nil if they were sealed under another key, or for another row.
    private func attributes(of row: ItemRow, _ key: SecretBox) -> SecretBox? {
        guard row.binding != .unknown else { return nil }
        return try? AESGCM.open(row.sealedAttributes, key: key, associatedData: Self.associatedData(of: row))
    }

    func secret(of row: ItemRow, _ item: StoredItem, itemKey: SecretBox) throws(Setback) -> SecretBox {
        guard let sealed = row.sealedSecret,
            let padded = try? AESGCM.open(
                sealed, key: itemKey, associatedData: Self.secretAssociatedData(of: item)),
            let secret = SecretPadding.unpadded(padded)
        else { throw .key(.damaged) }
        return secret
    }

    /// The attributes of a row before they are sealed.
    private static func encoded(_ item: StoredItem) -> [UInt8] {
        DERWriter.encodeDictionary { add in
            for (name, value) in item.attributes where name != .accessControl { add(name.rawValue, value) }
            add(AttributeName.accessControl.rawValue, .data(item.accessControl.serialised))
        }
    }

    private static func associatedData(of row: ItemRow) -> [UInt8] {
        var bytes = Array((row.binding == .none ? "a" : "b").utf8) + Array(row.itemClass.rawValue.utf8) + row.identifier
        bytes += [row.keyClass, row.isSynchronizable ? 1 : 0, row.isTombstone ? 1 : 0]
        for number in [row.creationDate, row.modificationDate] {
            unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        bytes += row.syncIdentifier
        if row.binding != .none {
            let itemKey = row.wrappedItemKey ?? []
            bytes += [row.binding == .withSecret ? 1 : 0, UInt8(truncatingIfNeeded: itemKey.count >> 8)]
            bytes += [UInt8(truncatingIfNeeded: itemKey.count)] + itemKey
        }
        return bytes + Array(row.accessGroup.utf8)
    }

    private static func secretAssociatedData(of item: StoredItem) -> [UInt8] {
        Array("s".utf8) + Array(item.itemClass.rawValue.utf8) + item.identifier
            + Array(item.accessGroup.utf8) + [0] + item.accessControl.serialised
    }
}

/// The secret of a row with the key that sealed it and nothing else.
struct SealedSecret: Sendable {
    /// As the enclave wrapped it; nil for an item without data.
    let wrappedItemKey: [UInt8]?
    let bytes: [UInt8]?

    static let none = SealedSecret(wrappedItemKey: nil, bytes: nil)

    init(wrappedItemKey: [UInt8]?, bytes: [UInt8]?) {
        self.wrappedItemKey = wrappedItemKey
        self.bytes = bytes
    }

    /// That of a row which was read with its secret.
    init(of row: ItemRow) {
        self.init(wrappedItemKey: row.wrappedItemKey, bytes: row.sealedSecret)
    }
}
