import LatchkeyAccessControl
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// What an add wants to store.
struct NewItem: Sendable {
    let itemClass: ItemClass
    var attributes: [AttributeName: PropertyValue]
    let accessGroup: String
    let accessControl: AccessControl
    let isSynchronizable: Bool
    var secret: SecretBox?
    /// What the secret says, where it stands for a key of the enclave.
    var enclaveKey: EnclaveKeyRecord?

    /// - Parameter now: seconds since 2001-01-01 00:00:00 UTC.
    func item(identifier: [UInt8], at now: Double) -> StoredItem {
        var attributes = attributes
        for part in ItemSchema.of(itemClass)?.primaryKey ?? [] where attributes[part.name] == nil {
            attributes[part.name] = part.defaultValue
        }
        var item = StoredItem(
            itemClass: itemClass, attributes: attributes, accessGroup: accessGroup,
            accessible: accessControl.protection, accessControl: accessControl,
            isSynchronizable: isSynchronizable, creationDate: now, modificationDate: now, identifier: identifier)
        item.attributes[.digest] = .data(ItemDigest.digest(of: item, secret: secret))
        return item
    }
}

/// A new item with its number and keys.
struct PreparedItem: Sendable {
    let item: StoredItem
    let number: Int64
    let secret: SecretBox?
    let itemKey: (key: SecretBox, wrapped: [UInt8])?
    /// The key of the enclave that the item stands for.
    let enclaveKey: EnclaveKeyRecord?
    /// Sealed already; nil where the metadata key of its class was not at hand.
    var row: ItemRow?
}

/// What an add answers with: an item, or the identity that two of them are.
struct AddedItem: Sendable {
    let item: StoredItem
    /// What an answer with data or references carries; the next two are places in it.
    private(set) var secrets: [SecretBox] = []
    private(set) var data: Int?
    private(set) var certificateData: Int?
    let object: ItemObject?

    init(_ item: StoredItem, _ new: NewItem) {
        if let enclaveKey = new.enclaveKey {
            self.item = enclaveKey.shown(item)
            object = .enclaveKey(blob: enclaveKey.blob)
            return
        }
        self.item = item
        secrets = new.secret.map { [$0] } ?? []
        data = new.secret.map { _ in 0 }
        object = ItemObject(item, dataSecret: data)
    }

    init(key: AddedItem, certificate: AddedItem) {
        item = .identity(key: key.item, certificate: certificate.item)
        secrets = key.secrets + certificate.secrets
        data = key.data
        let place = certificate.data.map { $0 + key.secrets.count }
        certificateData = place
        object = key.object.flatMap { key in
            place.map { ItemObject.identity(key: key, certificateSecret: $0) }
        }
    }
}

extension ItemObject {
    /// Nil for an item of which no object can be made. Keys of the enclave are made from their blobs.
    init?(_ item: StoredItem, dataSecret: Int?) {
        guard let dataSecret else { return nil }
        switch item.itemClass {
        case .certificate: self = .certificate(dataSecret: dataSecret)
        case .key:
            guard case .integer(let keyClass)? = item.attributes[.keyClass],
                case .integer(let type)? = item.attributes[.type]
            else { return nil }
            self = .key(keyClass: keyClass, type: type, dataSecret: dataSecret)
        case .genericPassword, .internetPassword, .identity: return nil
        }
    }
}
