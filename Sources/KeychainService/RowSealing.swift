import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Turns items into rows and back. Associated data ties both ciphertexts to row identity, class, group and marks, so
/// that no ciphertext can be moved to another row.
struct RowSealing: Sendable {
    let keys: ProtectionKeys
    let entropy: any Entropy

    /// The clear and the encrypted parts of an item's row, without its secret. The search key comes from outside the
    /// transaction: making it is a transaction of its own.
    func row(
        of item: StoredItem, number: Int64, isTombstone: Bool = false, syncIdentifier: [UInt8], metadataKey: SecretBox,
        searchKey: SecretBox
    ) throws -> ItemRow {
        guard let keyClass = KeyClass(accessibleName: item.accessible) else { throw CallFailure.keyDamaged }
        let tokens = SearchTokens(key: searchKey, itemClass: item.itemClass)
        var row = ItemRow(
            rowID: number, itemClass: item.itemClass, accessGroup: item.accessGroup, keyClass: keyClass.rawValue,
            isSynchronizable: item.isSynchronizable, isTombstone: isTombstone,
            creationDate: AttributeKind.microseconds(item.creationDate),
            modificationDate: AttributeKind.microseconds(item.modificationDate), identifier: item.identifier,
            syncIdentifier: syncIdentifier, primaryKey: tokens.primaryKey(of: item), tokens: tokens.tokens(of: item),
            sealedAttributes: [], sealedSecret: nil, wrappedItemKey: nil)
        let plaintext = DERWriter.encode(.dictionary(Self.encrypted(item)))
        row.sealedAttributes = unsafe plaintext.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: metadataKey, associatedData: Self.associatedData(of: row), entropy: entropy)
        }
        return row
    }

    /// The item of a row, if the metadata key of its class is there.
    /// - Parameter transaction: the reader of the transaction that the row was read in, if it was in one.
    func item(of row: ItemRow, in transaction: ItemReader? = nil) throws -> StoredItem {
        guard let keyClass = KeyClass(rawValue: row.keyClass), let accessible = keyClass.accessibleName else {
            throw KeyRefusal.damaged
        }
        let key = try keys.metadataKey(toRead: keyClass, in: transaction)
        guard
            let opened = try? AESGCM.open(row.sealedAttributes, key: key, associatedData: Self.associatedData(of: row)),
            case .dictionary(var attributes)? = try? unsafe opened.withBytes({ try unsafe DERReader.decode($0) }),
            case .data(let accessControl)? = attributes.removeValue(forKey: "accc")
        else { throw KeyRefusal.damaged }
        return StoredItem(
            itemClass: row.itemClass, attributes: attributes, accessGroup: row.accessGroup, accessible: accessible,
            accessControl: accessControl, isSynchronizable: row.isSynchronizable,
            creationDate: Double(row.creationDate) / 1_000_000,
            modificationDate: Double(row.modificationDate) / 1_000_000, identifier: row.identifier)
    }

    /// Gives a row a fresh item key, and seals the secret under it if there is one.
    func seal(
        _ secret: SecretBox?, of item: StoredItem, into row: inout ItemRow, itemKey: SecretBox, wrapped: [UInt8]
    ) {
        row.wrappedItemKey = wrapped
        guard let secret else { return }
        row.sealedSecret = unsafe SecretPadding.padded(secret).withBytes {
            unsafe AESGCM.seal(
                $0, key: itemKey, associatedData: Self.secretAssociatedData(of: item), entropy: entropy)
        }
    }

    func secret(of row: ItemRow, _ item: StoredItem, itemKey: SecretBox) throws -> SecretBox {
        guard let sealed = row.sealedSecret,
            let padded = try? AESGCM.open(
                sealed, key: itemKey, associatedData: Self.secretAssociatedData(of: item)),
            let secret = SecretPadding.unpadded(padded)
        else { throw KeyRefusal.damaged }
        return secret
    }

    private static func encrypted(_ item: StoredItem) -> [String: PropertyValue] {
        var attributes = item.attributes
        attributes["accc"] = .data(item.accessControl)
        return attributes
    }

    private static func associatedData(of row: ItemRow) -> [UInt8] {
        var bytes = Array("a".utf8) + Array(row.itemClass.rawValue.utf8) + row.identifier
        bytes += [row.keyClass, row.isSynchronizable ? 1 : 0, row.isTombstone ? 1 : 0]
        for number in [row.creationDate, row.modificationDate] {
            unsafe withUnsafeBytes(of: number.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }
        return bytes + row.syncIdentifier + Array(row.accessGroup.utf8)
    }

    private static func secretAssociatedData(of item: StoredItem) -> [UInt8] {
        Array("s".utf8) + Array(item.itemClass.rawValue.utf8) + item.identifier
            + Array(item.accessGroup.utf8) + [0] + item.accessControl
    }
}
