import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
package import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Writes the rows of items that other devices changed. Row number and persistent reference stay; attributes and dates
/// are those of the record; the row gets a new change number and a new item key.
package struct RemoteRows: Sendable {
    let store: ItemStore
    let sealer: ItemSealer
    let itemKeys: ItemKeyPool
    let circle: ItemCircle

    /// An item of another device with the key that seals its secret here.
    package struct Prepared: Sendable {
        package let remote: RemoteItem
        let keyClass: KeyClass
        let itemKey: CreatedKey?
        let searchKey: SecretBox
    }

    /// Returns true if a record can be an item of the circle.
    func accepts(_ remote: RemoteItem) -> Bool {
        let item = remote.item
        return ItemSchema.of(item.itemClass) != nil && SharingRules.obstacle(to: item) == nil
            && item.accessControl == AccessControl(protection: item.accessible)
            && AccessGroupList.isOwnable(item.accessGroup) && circle.name(of: item) == remote.name
    }

    /// Checks that a record can be an item of the circle, and takes an item key for it. To be called before the
    /// transaction: making keys may take long.
    func prepared(_ remote: RemoteItem) throws(SharedItemsFailure) -> Prepared {
        let item = remote.item
        guard accepts(remote), let keyClass = KeyClass(item.accessible) else { throw .notShared(name: remote.name) }
        do throws(Setback) {
            let itemKey =
                remote.secret == nil
                ? nil : try itemKeys.take(keyClass, binding: item.accessControl, context: nil)
            // Made in a transaction of its own where it does not exist yet.
            let searchKey = try sealer.keys.searchKey()
            return Prepared(remote: remote, keyClass: keyClass, itemKey: itemKey, searchKey: searchKey)
        } catch .key(let refusal) {
            throw .failed(.keyNotMade(refusal, keyClass))
        } catch {
            throw .failed(CallFailure(error))
        }
    }

    /// Writes an item: in place of the row that has its name, or as a new row. Of a row that waits for its name with
    /// something that no version has a copy is kept, and it stays if it is newer.
    /// - Parameters:
    ///   - version: that of the item.
    ///   - known: the time of the version that this device had before.
    package func put(
        _ prepared: Prepared, version: [UInt8]? = nil, over known: UInt64? = nil, _ writer: ItemWriter
    ) throws {
        let name = prepared.remote.name
        var former = try row(named: name, writer)
        let first = try sealed(prepared, in: former, writer)
        if let row = former, let waiting = try WaitingRow(row, over: known, writer.reader) {
            if waiting.isChanged, row.modificationDate > first.modificationDate {
                return try keepConflict(prepared, version: version, reason: .joined, writer)
            }
            if waiting.isKept { try keep(row, name, .overruled, writer) }
        }
        let other = try onDisk(
            writer.reader.row(withPrimaryKeyOf: first))
        if let other, other.rowID != former?.rowID {
            if !other.isTombstone, former == nil {
                // The rules left it out, or it waited for its name. It gives its number and reference to the new one, unless it has no
                // version either and is newer: then it is published over this one when it has its name.
                if try WaitingRow(other, over: nil, writer.reader)?.isChanged ?? false,
                    other.modificationDate > first.modificationDate
                {
                    return try keepConflict(prepared, version: version, reason: .joined, writer)
                }
                try keep(other, name, .overruled, writer)
                former = other
            } else {
                try onDisk(writer.delete(other, departure: .remote))
            }
        }
        let row = former?.rowID == first.rowID ? first : try sealed(prepared, in: former, writer)
        if former == nil { try onDisk(writer.insert(row)) } else { try onDisk(writer.update(row)) }
    }

    /// Removes the row that has a name, if there is one. Works while the row's class is locked.
    package func remove(named name: [UInt8], _ writer: ItemWriter) throws {
        guard let row = try row(named: name, writer) else { return }
        try onDisk(writer.delete(row, departure: .remote))
    }

    /// Removes the row that has a name because another device has deleted the item. A row that waits for its name with
    /// something that no version has is kept, and stays unless it is older. Works while the row's class is locked.
    /// - Parameters:
    ///   - time: that of the deletion; nil if it is not known any more.
    ///   - known: the time of the version that this device had before.
    package func bury(
        named name: [UInt8], deletedAt time: UInt64?, over known: UInt64? = nil, _ writer: ItemWriter
    ) throws {
        if let row = try row(named: name, writer), let waiting = try WaitingRow(row, over: known, writer.reader) {
            guard waiting.loses(toDeletionAt: time) else { return }
            if waiting.isKept { try keep(row, name, .deleted, writer) }
        }
        try remove(named: name, writer)
    }

    /// Keeps a copy of the row that has a name, sealed as it is, if there is one.
    package func keepConflict(
        named name: [UInt8], version: [UInt8]?, reason: SyncConflictRow.Reason, _ writer: ItemWriter
    ) throws {
        guard let row = try row(named: name, writer) else { return }
        try onDisk(
            writer.keepSyncConflict(
                rowAt: row.place, name: name, version: version, reason: reason, at: store.nowMicroseconds()))
    }

    /// Keeps an item of another device that lost, sealed as a row of its class.
    package func keepConflict(
        _ prepared: Prepared, version: [UInt8]?, reason: SyncConflictRow.Reason, _ writer: ItemWriter
    ) throws {
        let row = try sealed(prepared, in: nil, writer)
        try onDisk(
            writer.keepSyncConflict(
                row: row, name: prepared.remote.name, version: version, reason: reason, at: store.nowMicroseconds()))
    }

    private func keep(
        _ row: ItemRow, _ name: [UInt8], _ reason: SyncConflictRow.Reason, _ writer: ItemWriter
    ) throws {
        try onDisk(
            writer.keepSyncConflict(
                rowAt: row.place, name: name, version: nil, reason: reason, at: store.nowMicroseconds()))
    }

    private func row(named name: [UInt8], _ writer: ItemWriter) throws(Setback) -> ItemRow? {
        guard let place = try onDisk(writer.reader.syncItem(named: name))?.place else { return nil }
        return try writer.reader.row(at: place, withSecret: false)
    }

    private func sealed(
        _ prepared: Prepared, in former: ItemRow?, _ writer: ItemWriter
    ) throws(Setback) -> ItemRow {
        var item = prepared.remote.item
        let number = former?.rowID ?? store.newRowNumber(at: store.nowMicroseconds())
        item.identifier = former?.identifier ?? sealer.newIdentifier(ofRow: number)
        item.setStoredDigest(secret: prepared.remote.secret)
        let secret = prepared.itemKey.map { key in
            sealer.sealing.sealed(prepared.remote.secret, of: item, itemKey: key.key, wrapped: key.wrapped)
        }
        return try sealer.sealing.row(
            of: item, number: number,
            syncIdentifier: former?.syncIdentifier ?? sealer.sealing.entropy.bytes(16), secret: secret ?? .none,
            listing: .remote(name: prepared.remote.name),
            metadataKey: try sealer.metadataKey(toWrite: item, writer), searchKey: prepared.searchKey)
    }
}
