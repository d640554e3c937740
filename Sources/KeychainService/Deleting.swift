import CryptoSuite
import EnclaveCore
import ItemDatabase
import ItemModel
import KeychainMessages
import SecretMemory

/// `SecItemDelete` (secitem-semantics 6.6): every row that fits, also while its class is locked.
extension KeychainService {
    func delete(_ request: ItemRequest, _ caller: Caller) throws -> ItemReply {
        let query = try request.query(for: .delete)
        let groups = try GroupChoice.searched(query, caller, writing: true)
        let searchKey = try keys.searchKey()
        guard let filter = RowSearch.filter(query, groups: groups, searchKey: searchKey) else {
            throw CallFailure.notFound
        }
        let count = try store.database.write { [self] writer in
            let rows = try allRows(matching: filter, writer)
            for row in rows { try remove(row, leavesTombstone: query.leavesTombstones, searchKey, writer) }
            return rows.count
        }
        guard count > 0 else { throw CallFailure.notFound }
        return ItemReply(code: .success, affectedRows: count)
    }

    private func remove(
        _ row: ItemRow, leavesTombstone: Bool, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws {
        // A row that cannot be opened now (locked, damaged) leaves no tombstone.
        guard leavesTombstone, row.isSynchronizable, let item = try? sealing.item(of: row, in: writer.reader) else {
            return try writer.delete(row)
        }
        try writer.update(
            tombstoneRow(
                of: item, number: row.rowID, syncIdentifier: row.syncIdentifier, searchKey, writer))
    }

    /// The tombstone that a synchronizable item leaves under its old primary key: it keeps the sync identifier and has
    /// a persistent reference of its own.
    func insertTombstone(
        of old: StoredItem, _ row: ItemRow, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws {
        var item = old
        let number = store.database.newRowNumber(at: nowMicroseconds())
        item.identifier = newIdentifier(ofRow: number)
        try writer.insert(
            tombstoneRow(of: item, number: number, syncIdentifier: row.syncIdentifier, searchKey, writer))
    }

    private func tombstoneRow(
        of item: StoredItem, number: Int64, syncIdentifier: [UInt8], _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws -> ItemRow {
        var buried = item
        let keyNames = Set((ItemSchema.of(item.itemClass)?.primaryKey ?? []).map(\.name))
        buried.attributes = item.attributes.filter { keyNames.contains($0.key) }
        buried.modificationDate = max(Double(nowMicroseconds()) / 1_000_000, item.modificationDate + 0.001)
        return try sealing.row(
            of: buried, number: number, isTombstone: true, syncIdentifier: syncIdentifier,
            metadataKey: try metadataKey(toWrite: buried, writer), searchKey: searchKey)
    }
}
