import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The versions of items that lost against others and are kept on this device. A person looks at them, and restores one.
package struct ConflictShelf: Sendable {
    let store: ItemStore
    let sealer: ItemSealer
    let itemKeys: ItemKeyPool
    let passcodeItems: PasscodeItems
    let enclave: any EnclaveMailbox

    private var sealing: RowSealing { sealer.sealing }

    /// Returns the versions, the oldest first. Works in every lock state.
    package func list() throws(CallFailure) -> [KeptConflict] {
        do throws(Setback) {
            let rows = try store.read { try $0.syncConflicts(withSecret: false) }
            // Outside of the read: opening a row may read the metadata key of its class.
            var conflicts: [KeptConflict] = []
            for row in rows { conflicts.append(KeptConflict(row, try item(of: row))) }
            return conflicts
        } catch {
            store.noticeDamage(error)
            throw CallFailure(error)
        }
    }

    /// Restores a version as a change that a program makes now, so that it reaches the other devices. The version that it
    /// replaces is kept in its place, under a number of its own.
    package func restore(_ number: Int64) throws(ConflictFailure) {
        do throws(Setback) {
            try sealer.retrying { () throws(Setback) in try restoreOnce(number) }
        } catch {
            store.noticeDamage(error)
            throw ConflictFailure(CallFailure(error))
        }
    }

    /// Returns nil if the row does not open now.
    private func item(of conflict: SyncConflictRow) throws(Setback) -> StoredItem? {
        do throws(Setback) {
            return try sealing.item(of: conflict.row)
        } catch .key {
            return nil
        }
    }

    private func restoreOnce(_ number: Int64) throws(Setback) {
        guard let conflict = try store.read({ try $0.syncConflict(number) }) else { throw .call(.notFound) }
        let item = try sealing.item(of: conflict.row)
        let restoration = Restoration(
            conflict: conflict, item: item, secret: try sealing.unguardedSecret(of: conflict.row, item, enclave),
            itemKey: try itemKey(for: conflict.row, item),
            // Made in a transaction of its own where it does not exist yet.
            searchKey: try sealer.keys.searchKey())
        // Before the transaction, which may wait for others and may run twice.
        let now = store.nowMicroseconds()
        try store.write { writer in
            // Another call may have restored it meanwhile. Deleted first, it makes place for the version that it replaces.
            guard try onDisk(writer.deleteSyncConflict(number)) else { throw Setback.call(.notFound) }
            try write(restoration, at: now, writer)
        }
    }

    /// Returns a new item key: one key seals one secret.
    private func itemKey(for row: ItemRow, _ item: StoredItem) throws(Setback) -> CreatedKey? {
        guard row.wrappedItemKey != nil else { return nil }
        guard let keyClass = KeyClass(item.accessible) else { throw .key(.damaged) }
        return try itemKeys.take(keyClass, binding: item.accessControl, context: nil)
    }

    /// A version with what it takes to write it.
    private struct Restoration: Sendable {
        let conflict: SyncConflictRow
        let item: StoredItem
        let secret: SecretBox?
        let itemKey: CreatedKey?
        let searchKey: SecretBox
    }

    /// Writes the version in place of the live row of its primary key, or as a new row.
    private func write(_ restoration: Restoration, at now: Int64, _ writer: ItemWriter) throws(Setback) {
        let other = try rowOfPrimaryKey(restoration, writer)
        var replaced: ItemRow?
        if let other {
            if other.isTombstone {
                try onDisk(writer.delete(other))
            } else {
                try keep(other, insteadOf: restoration.conflict, at: now, writer)
                replaced = other
            }
        }
        let number = replaced?.rowID ?? store.newRowNumber(at: now)
        var item = restoration.item
        item.identifier = replaced?.identifier ?? sealer.newIdentifier(ofRow: number)
        item.modificationDate = Double(now) / 1_000_000
        let former = max(restoration.conflict.row.modificationDate, other?.modificationDate ?? .min)
        if now <= former { item.setModificationDate(after: former) }
        item.setStoredDigest(secret: restoration.secret)
        let secret = restoration.itemKey.map { key in
            sealing.sealed(restoration.secret, of: item, itemKey: key.key, wrapped: key.wrapped)
        }
        let row = try sealing.row(
            of: item, number: number, syncIdentifier: replaced?.syncIdentifier ?? sealing.entropy.bytes(16),
            secret: secret ?? .none, listing: sealer.circle.listing(of: item, secret: restoration.secret),
            metadataKey: try sealer.metadataKey(toWrite: item, writer), searchKey: restoration.searchKey)
        if replaced == nil { try onDisk(writer.insert(row)) } else { try onDisk(writer.update(row)) }
        try passcodeItems.confirm(row, item, writer)
    }

    private func rowOfPrimaryKey(
        _ restoration: Restoration, _ writer: ItemWriter
    ) throws(Setback) -> ItemRow? {
        let tokens = SearchTokens(key: restoration.searchKey, itemClass: restoration.item.itemClass)
        var wanted = restoration.conflict.row
        wanted.primaryKey = tokens.primaryKey(of: restoration.item)
        wanted.tokens = tokens.tokens(of: restoration.item)
        return try onDisk(writer.reader.row(withPrimaryKeyOf: wanted))
    }

    /// Keeps the row that a restored version replaces. It stays sealed, so its class may be locked.
    private func keep(
        _ row: ItemRow, insteadOf conflict: SyncConflictRow, at now: Int64, _ writer: ItemWriter
    ) throws(Setback) {
        let reader = writer.reader
        // A row that is not shared has no name of its own.
        let name = try onDisk(reader.syncName(of: row.place)) ?? conflict.name
        // After a change that was not reported, the known version is not that of the row.
        let isChanged = try onDisk(reader.syncChange(of: name)) != nil
        let item = try isChanged ? nil : onDisk(reader.syncItem(named: name))
        try onDisk(
            writer.keepSyncConflict(
                rowAt: row.place, name: name, version: item?.place == row.place ? item?.known?.version : nil,
                reason: .replaced, at: now))
    }
}

extension ConflictFailure {
    fileprivate init(_ failure: CallFailure) {
        switch failure.code {
        case .itemNotFound: self = .unknown
        case .interactionNotAllowed: self = .locked
        default: self = .failed(failure)
        }
    }
}
