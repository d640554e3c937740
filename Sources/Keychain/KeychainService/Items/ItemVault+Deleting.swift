import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeySecretMemory

extension ItemVault {
    /// `SecItemDelete` (Reference 6.6): every row that fits, also while its class is locked, if its tokens show that.
    func delete(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let query = try request.query(for: .delete, adoptedItems: call.caller.adoptedItems)
        let groups = try AccessGroupChoice.searched(query, call.caller, writing: true)
        let searchKey = try keys.searchKey()
        // Before the transaction, which may wait for others and may run twice.
        let now = store.nowMicroseconds()
        let count = try store.write { [self] writer in
            guard query.itemClass != .identity else {
                let rows = try identities.rows(toDelete: query, groups, searchKey, call, writer)
                return try remove(rows, query, searchKey, at: now, writer)
            }
            let matching = try rows(matching: query, groups, searchKey, call, writer)
            for row in matching.moved { try ended.setAside(row, .damaged, writer) }
            return try remove(matching.rows, query, searchKey, at: now, writer)
                + ended.meet(query, groups, searchKey, writer)
        }
        guard count > 0 else { throw .call(ended.absence(of: query, groups)) }
        return ItemReply(code: .success, affectedRows: count)
    }

    /// Returns the rows that a change is about. Where the query names an attribute without a token, rows that may be meant
    /// are opened: one of a locked class, or one that needs a proof, ends the call, and a damaged one is left as it is.
    /// - Returns: also rows whose tokens are not those of their items.
    func rows(
        matching query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ call: GuardedCall,
        _ writer: ItemWriter
    ) throws(Setback) -> (rows: [ItemRow], moved: [ItemRow]) {
        let found = try writer.reader.allRows(of: query, groups, searchKey)
        guard query.comparesOpenRows else { return (found, []) }
        var opening = RowOpening(enclaveKeys, query, call, in: writer.reader)
        let opened = try opening.items(of: found) { RowSearch.match($0, query) }
        if let locked = opened.locked { throw .call(locked) }
        return (try opening.ofNamedDigest(opened.rows).map(\.row), opened.moved)
    }

    /// Deletes every item of the groups without tombstones (the removal of an app). Enclave keys end with their items.
    /// - Returns: the number of rows.
    func deleteAll(inAccessGroups groups: [String]) throws(Setback) -> Int {
        let searchKey = try keys.searchKey()
        return try store.write { [self] writer in
            try enclaveKeys.deleteKeys(inAccessGroups: groups, searchKey, writer)
            return try writer.deleteRows(inAccessGroups: groups)
        }
    }

    /// Keys of the enclave end first, and for good: if the rows then stay after all, nothing is found behind them.
    private func remove(
        _ rows: [ItemRow], _ query: ItemQuery, _ searchKey: SecretBox, at now: Int64, _ writer: ItemWriter
    ) throws(Setback) -> Int {
        var keys = try enclaveKeys.records(of: rows.filter { !$0.isTombstone }, in: writer.reader)
        var rows = rows
        if let wanted = query.tokenObject {
            keys = keys.filter { $0.value.blob == wanted }
            rows = rows.filter { $0.itemClass != .key || keys[$0.rowID] != nil }
        }
        try enclaveKeys.delete(keys.values.map(\.blob))
        for row in rows { try remove(row, leavesTombstone: query.leavesTombstones, searchKey, at: now, writer) }
        return rows.count
    }

    private func remove(
        _ row: ItemRow, leavesTombstone: Bool, _ searchKey: SecretBox, at now: Int64, _ writer: ItemWriter
    ) throws(Setback) {
        // The other devices were told when the tombstone was made.
        guard !row.isTombstone else { return try onDisk(writer.delete(row)) }
        // A row that cannot be opened now (locked, damaged) leaves no row; its name is still reported as deleted.
        guard leavesTombstone, row.isSynchronizable, let item = try? sealing.item(of: row, in: writer.reader) else {
            return try onDisk(writer.delete(row, departure: leavesTombstone ? .everywhere : .here))
        }
        let tombstone = try sealer.tombstone(
            of: item, number: row.rowID, syncIdentifier: row.syncIdentifier, searchKey, at: now, writer)
        try onDisk(writer.update(tombstone))
    }
}
