import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// `SecItemDelete` (Reference 6.6): every row that fits, also while its class is locked.
extension KeychainService {
    func delete(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let query = try request.query(for: .delete, adoptedItems: call.caller.adoptedItems)
        let groups = try GroupChoice.searched(query, call.caller, writing: true)
        let searchKey = try keys.searchKey()
        let count = try store.write { [self] writer in
            let rows =
                try query.itemClass == .identity
                ? identityRows(toDelete: query, groups, searchKey, call, writer)
                : allRows(of: query, groups, searchKey, writer)
            return try remove(rows, query, searchKey, writer) + ended.meet(query, groups, searchKey, writer)
        }
        guard count > 0 else { throw .call(ended.absence(of: query, groups)) }
        return ItemReply(code: .success, affectedRows: count)
    }

    /// Keys of the enclave end first, and for good: if the rows then stay after all, nothing is found behind them.
    private func remove(
        _ rows: [ItemRow], _ query: ItemQuery, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> Int {
        var keys = try enclaveKeys.records(of: rows, in: writer.reader)
        var rows = rows
        if let wanted = query.tokenObject {
            keys = keys.filter { $0.value.blob == wanted }
            rows = rows.filter { $0.itemClass != .key || keys[$0.rowID] != nil }
        }
        try enclaveKeys.delete(keys.values.map(\.blob))
        for row in rows { try remove(row, leavesTombstone: query.leavesTombstones, searchKey, writer) }
        return rows.count
    }

    private func remove(
        _ row: ItemRow, leavesTombstone: Bool, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) {
        // A row that cannot be opened now (locked, damaged) leaves no tombstone.
        guard leavesTombstone, row.isSynchronizable, let item = try? sealing.item(of: row, in: writer.reader) else {
            return try onDisk(writer.delete(row))
        }
        let tombstone = try tombstoneRow(
            of: item, number: row.rowID, syncIdentifier: row.syncIdentifier, searchKey, writer)
        try onDisk(writer.update(tombstone))
    }

    /// The tombstone that a synchronizable item leaves under its old primary key: it keeps the sync identifier and has
    /// a persistent reference of its own.
    func insertTombstone(
        of old: StoredItem, _ row: ItemRow, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) {
        var item = old
        let number = store.newRowNumber(at: nowMicroseconds())
        item.identifier = newIdentifier(ofRow: number)
        let tombstone = try tombstoneRow(
            of: item, number: number, syncIdentifier: row.syncIdentifier, searchKey, writer)
        try onDisk(writer.insert(tombstone))
    }

    private func tombstoneRow(
        of item: StoredItem, number: Int64, syncIdentifier: [UInt8], _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> ItemRow {
        var buried = item
        let keyNames = Set((ItemSchema.of(item.itemClass)?.primaryKey ?? []).map(\.name))
        buried.attributes = item.attributes.filter { keyNames.contains($0.key) }
        buried.modificationDate = max(Double(nowMicroseconds()) / 1_000_000, item.modificationDate + 0.001)
        return try sealing.row(
            of: buried, number: number, isTombstone: true, syncIdentifier: syncIdentifier,
            metadataKey: try metadataKey(toWrite: buried, writer), searchKey: searchKey)
    }
}
