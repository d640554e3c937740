internal import LatchkeyItemModel
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The records of an object that was opened in this event.
struct OpenedRecords {
    let records: [PlainRecord]
    private let plaintext: SecretBox
    /// The item of each record, without its secret, as it was read when the object was opened; nil where an item is gone or withheld.
    private let items: [StoredItem?]

    /// Reads the item of each record. Nil if a record has an item that `accepts` refuses, or what cannot be an item.
    init?(_ plaintext: SecretBox, _ records: [PlainRecord], accepts: (RemoteItem, ItemContent) -> Bool) {
        self.plaintext = plaintext
        self.records = records
        var items: [StoredItem?] = []
        items.reserveCapacity(records.count)
        for record in records {
            guard case .live(let content) = record.record.state else {
                guard record.attributes.isEmpty else { return nil }
                items.append(nil)
                continue
            }
            guard
                let item = ItemCoding.item(
                    record.attributes, secret: Self.secret(of: record, plaintext), named: record.record.name),
                accepts(item, content)
            else { return nil }
            items.append(item.item)
        }
        self.items = items
    }

    /// Returns attributes and secret of a record; nil if there is none of the number.
    func parts(of index: Int) -> (attributes: [UInt8], secret: SecretBox?)? {
        guard records.indices.contains(index) else { return nil }
        return (records[index].attributes, Self.secret(of: records[index], plaintext))
    }

    /// Returns the item of a record; nil if there is none of the number.
    func item(_ index: Int, named name: ItemName) -> RemoteItem? {
        guard records.indices.contains(index), let item = items[index] else { return nil }
        return RemoteItem(name: name.bytes, item: item, secret: Self.secret(of: records[index], plaintext))
    }

    private static func secret(of record: PlainRecord, _ plaintext: SecretBox) -> SecretBox? {
        guard ItemCoding.hasSecret(record.attributes) else { return nil }
        return unsafe plaintext.withBytes { unsafe SecretBox(copying: .init(rebasing: $0[record.secret])) }
    }
}
