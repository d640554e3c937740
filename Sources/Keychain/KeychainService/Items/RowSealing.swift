import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The encryption of items to rows, and their decryption. Associated data binds both ciphertexts to the row's identity,
/// class and group, so that an attacker cannot move a ciphertext to another row. The attributes are also bound to the
/// row's flags, dates and item key. An item key seals only one secret, so an older secret of the row cannot be opened
/// together with newer attributes.
struct RowSealing: Sendable {
    let keys: ProtectionKeys
    let entropy: any Entropy

    /// Returns the row of an item, with its clear and encrypted parts. The search key comes from outside the
    /// transaction, because it is created in a transaction of its own.
    func row(
        of item: StoredItem, number: Int64, isTombstone: Bool = false, syncIdentifier: [UInt8],
        secret: SealedSecret = .none, listing: RowListing = .unlisted(.here), metadataKey: SecretBox,
        searchKey: SecretBox
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
        row.listing = listing
        let plaintext = Self.encoded(item.attributes, item.accessControl)
        row.sealedAttributes = unsafe plaintext.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: row), entropy: entropy)
        }
        return row
    }

    /// Returns the item of a row. Throws if the metadata key of its class is not available.
    /// - Parameter transaction: the reader of the transaction in which the row was read; nil if there was none.
    func item(of row: ItemRow, in transaction: ItemReader? = nil) throws(Setback) -> StoredItem {
        guard let keyClass = KeyClass(rawValue: row.keyClass), let accessible = keyClass.protectionClass else {
            throw .key(.damaged)
        }
        let key = try keys.metadataKey(toRead: keyClass, in: transaction)
        guard let opened = attributes(of: row, key), let decoded = Self.decoded(opened) else { throw .key(.damaged) }
        let accessControl = decoded.accessControl
        var attributes = decoded.attributes
        // Rows of formats before 9 may have the digest of a secret that was not opened.
        if accessControl.isConstrained { attributes[.digest] = nil }
        var item = StoredItem(
            itemClass: row.itemClass, attributes: attributes, accessGroup: row.accessGroup, accessible: accessible,
            accessControl: accessControl, isSynchronizable: row.isSynchronizable,
            creationDate: Double(row.creationDate) / 1_000_000,
            modificationDate: Double(row.modificationDate) / 1_000_000, identifier: row.identifier)
        item.isTombstone = row.isTombstone
        return item
    }

    /// Opens the attributes of a row. Throws `.key(.damaged)` if it is not whole.
    func wholeRow(_ row: ItemRow, in transaction: ItemReader? = nil) throws(Setback) -> DecryptedRow {
        let opened = DecryptedRow(row: row, item: try item(of: row, in: transaction))
        guard opened.isWhole else { throw .key(.damaged) }
        return opened
    }

    /// Seals a secret under a fresh item key. The key must never seal another secret.
    /// - Parameter secret: nil for an item with conditions but without data. Its item key only enforces the conditions.
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

    /// Binds the attributes of a row of format 4 or older to its item key.
    func bound(_ row: ItemRow, metadataKey: SecretBox) throws(Setback) -> ItemRow {
        guard row.binding == .none, let opened = attributes(of: row, metadataKey) else { throw .key(.damaged) }
        var bound = row
        bound.binding = row.sealedSecret == nil ? .withoutSecret : .withSecret
        bound.sealedAttributes = unsafe opened.withBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: bound), entropy: entropy)
        }
        return bound
    }

    /// Returns a row of a format before 9 without the digest of an item with conditions; nil if it has none.
    func withoutFormerDigest(_ row: ItemRow, metadataKey: SecretBox) -> ItemRow? {
        guard let opened = attributes(of: row, metadataKey), var decoded = Self.decoded(opened),
            decoded.accessControl.isConstrained, decoded.attributes.removeValue(forKey: .digest) != nil
        else { return nil }
        var clean = row
        let plaintext = Self.encoded(decoded.attributes, decoded.accessControl)
        clean.sealedAttributes = unsafe plaintext.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: row), entropy: entropy)
        }
        return clean
    }

    /// Returns the encoded attributes; nil if they were sealed under another key, or for another row.
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

    /// Encodes the attributes of an item, to be sealed.
    private static func encoded(
        _ attributes: [AttributeName: PropertyValue], _ accessControl: AccessControl
    ) -> [UInt8] {
        DERWriter.encodeDictionary { add in
            for (name, value) in attributes where name != .accessControl { add(name.rawValue, value) }
            add(AttributeName.accessControl.rawValue, .data(accessControl.serialised))
        }
    }

    private static func decoded(
        _ opened: SecretBox
    ) -> (attributes: [AttributeName: PropertyValue], accessControl: AccessControl)? {
        guard
            var attributes = try? unsafe opened.withBytes({ try unsafe [AttributeName: PropertyValue](der: $0) }),
            case .data(let bytes)? = attributes.removeValue(forKey: .accessControl),
            let accessControl = try? AccessControl(serialised: bytes)
        else { return nil }
        return (attributes, accessControl)
    }

    private static func associatedData(of row: ItemRow) -> [UInt8] {
        let itemKey = row.binding == .none ? [] : row.wrappedItemKey ?? []
        // One piece of memory: every row that is read or written comes by here.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(
            64 + row.identifier.count + row.syncIdentifier.count + itemKey.count + row.accessGroup.utf8.count)
        bytes.append(UInt8(ascii: row.binding == .none ? "a" : "b"))
        bytes += row.itemClass.rawValue.utf8
        bytes += row.identifier
        bytes.append(row.keyClass)
        bytes.append(row.isSynchronizable ? 1 : 0)
        bytes.append(row.isTombstone ? 1 : 0)
        unsafe withUnsafeBytes(of: row.creationDate.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        unsafe withUnsafeBytes(of: row.modificationDate.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        bytes += row.syncIdentifier
        if row.binding != .none {
            bytes.append(row.binding == .withSecret ? 1 : 0)
            bytes.append(UInt8(truncatingIfNeeded: itemKey.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: itemKey.count))
            bytes += itemKey
        }
        bytes += row.accessGroup.utf8
        return bytes
    }

    private static func secretAssociatedData(of item: StoredItem) -> [UInt8] {
        let control = item.accessControl.serialised
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + item.identifier.count + item.accessGroup.utf8.count + control.count)
        bytes.append(UInt8(ascii: "s"))
        bytes += item.itemClass.rawValue.utf8
        bytes += item.identifier
        bytes += item.accessGroup.utf8
        bytes.append(0)
        bytes += control
        return bytes
    }
}

/// The sealed secret of a row with the wrapped item key that seals it.
struct SealedSecret: Sendable {
    /// The item key as wrapped by the enclave; nil for an item that has neither data nor conditions.
    let wrappedItemKey: [UInt8]?
    let bytes: [UInt8]?

    static let none = SealedSecret(wrappedItemKey: nil, bytes: nil)

    init(wrappedItemKey: [UInt8]?, bytes: [UInt8]?) {
        self.wrappedItemKey = wrappedItemKey
        self.bytes = bytes
    }

    /// Creates the sealed secret of a row that was read with its secret.
    init(of row: ItemRow) {
        self.init(wrappedItemKey: row.wrappedItemKey, bytes: row.sealedSecret)
    }
}
