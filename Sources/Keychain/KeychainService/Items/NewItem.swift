import LatchkeyAccessControl
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// An item to be added. The vault sets its attributes and its secret; the sealer sets its number, dates and keys.
struct NewItem: Sendable {
    enum State: Sendable {
        /// Identifier, dates and digest are not set yet.
        case described
        /// The number is set, and the item key if the item has one. The metadata key of its class was not in memory.
        case numbered(Int64, itemKey: ItemKey?)
        case sealed(ItemRow)
    }

    typealias ItemKey = (key: SecretBox, wrapped: [UInt8])

    private(set) var item: StoredItem
    let secret: SecretBox?
    /// The decoded secret of the item of an enclave key; nil for other items.
    let enclaveKey: EnclaveKeyRecord?
    var state = State.described

    init(
        _ itemClass: ItemClass, _ attributes: [AttributeName: PropertyValue], in accessGroup: String,
        _ accessControl: AccessControl, isSynchronizable: Bool = false, secret: SecretBox?,
        enclaveKey: EnclaveKeyRecord? = nil
    ) {
        item = StoredItem(
            itemClass: itemClass, attributes: attributes, accessGroup: accessGroup,
            accessible: accessControl.protection, accessControl: accessControl,
            isSynchronizable: isSynchronizable, creationDate: 0, modificationDate: 0, identifier: [])
        for part in ItemSchema.of(itemClass)?.primaryKey ?? [] where item.attributes[part.name] == nil {
            item.attributes[part.name] = part.defaultValue
        }
        self.secret = secret
        self.enclaveKey = enclaveKey
    }

    /// Returns the item with its identifier, dates and digest.
    /// - Parameters:
    ///   - identifier: an identifier that contains the number of the row.
    ///   - now: the date of the addition in seconds since 2001-01-01 00:00:00 UTC.
    func identified(by identifier: [UInt8], at now: Double) -> NewItem {
        var new = self
        new.item.identifier = identifier
        new.item.creationDate = now
        new.item.modificationDate = now
        new.item.setStoredDigest(secret: secret)
        return new
    }

    /// Returns the item with a modification date after another one, in microseconds since 2001-01-01 00:00:00 UTC.
    func modified(after date: Int64) -> NewItem {
        var new = self
        new.item.setModificationDate(after: date)
        new.item.setStoredDigest(secret: secret)
        return new
    }
}

extension StoredItem {
    /// Sets a modification date that is a millisecond after another one.
    mutating func setModificationDate(after date: Int64) {
        modificationDate = Double(date) / 1_000_000 + 0.001
    }
}

/// The result of an add: an item, or the identity that consists of two items.
struct AddedItem: Sendable {
    let item: StoredItem
    /// The secrets of an answer with data or references. The next two properties are indexes into this array.
    private(set) var secrets: [SecretBox] = []
    private(set) var data: Int?
    private(set) var certificateData: Int?
    let object: ItemObject?

    init(_ new: NewItem) {
        self.init(new.item, secret: new.secret, enclaveKey: new.enclaveKey)
    }

    init(_ item: StoredItem, secret: SecretBox? = nil, enclaveKey: EnclaveKeyRecord? = nil) {
        if let enclaveKey {
            self.item = enclaveKey.shown(item)
            object = .enclaveKey(blob: enclaveKey.blob)
            return
        }
        self.item = item
        secrets = secret.map { [$0] } ?? []
        data = secret.map { _ in 0 }
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
    /// Creates the object of an item; nil if the item cannot be an object. The objects of enclave keys are created from
    /// their blobs instead.
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
