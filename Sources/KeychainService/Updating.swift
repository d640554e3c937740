import AccessControl
import CryptoSuite
import EnclaveCore
import ItemDatabase
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

/// `SecItemUpdate` (secitem-semantics 6.5): all rows that fit, in one transaction.
extension KeychainService {
    private static let pageSize = 256

    func update(_ request: ItemRequest, _ call: ItemCall) throws -> ItemReply {
        let caller = call.caller
        let query = try request.query(for: .update)
        let changes = try QueryGrammar.changes(request.changePairs, of: query.itemClass)
        let groups = try GroupChoice.searched(query, caller, writing: true)
        if let target = changes.accessGroup { try GroupChoice.check(target, caller, writing: true) }
        if changes.attributes["tkid"] != nil { throw CallFailure(QueryRefusal.laterFeature("Items of tokens are")) }
        if caller.isAppClip, changes.synchronizable == true { throw CallFailure.appClipSynchronizable }
        let newSecret = try request.secret(at: changes.dataSecret)
        let searchKey = try keys.searchKey()
        guard let filter = RowSearch.filter(query, groups: groups, searchKey: searchKey) else {
            throw CallFailure.notFound
        }
        let count = try store.database.write { [self] writer in
            // All rows first: an update can move rows into and out of its own query.
            let rows = try allRows(matching: filter, writer)
            var undecodable: [(ItemRow, KeyRefusal)] = []
            var count = 0
            for row in rows {
                do {
                    try change(row, query, changes, newSecret, searchKey, call, writer)
                    count += 1
                } catch let refusal as KeyRefusal where refusal != .locked {
                    undecodable.append((row, refusal))
                }
            }
            for (row, refusal) in undecodable {
                try writer.quarantine(row, reason: Self.quarantineReason(refusal), at: nowMicroseconds())
            }
            return count
        }
        guard count > 0 else { throw CallFailure.notFound }
        return ItemReply(code: .success, affectedRows: count)
    }

    func allRows(matching filter: RowFilter, _ writer: ItemWriter) throws -> [ItemRow] {
        var rows: [ItemRow] = []
        while true {
            let page = try writer.reader.rows(
                matching: filter, after: rows.last?.rowID ?? 0, limit: Self.pageSize, withSecret: true)
            rows += page
            if page.count < Self.pageSize { return rows }
        }
    }

    private func change(
        _ row: ItemRow, _ query: ItemQuery, _ changes: ItemChanges, _ newSecret: SecretBox?, _ searchKey: SecretBox,
        _ call: ItemCall, _ writer: ItemWriter
    ) throws {
        let old: StoredItem
        do {
            old = try sealing.item(of: row, in: writer.reader)
            guard RowSearch.fits(old, query) else { throw KeyRefusal.damaged }
        } catch KeyRefusal.locked {
            throw CallFailure.locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked)
        }
        var new = try changed(old, changes)
        let keepsKey = new.primaryKeyBytes == old.primaryKeyBytes
        let now = Double(nowMicroseconds()) / 1_000_000
        new.modificationDate = keepsKey ? max(now, old.modificationDate + 0.001) : now
        // What was there is opened even where it is replaced, if its access control has conditions.
        let hasConditions = ItemProtection.hasConditions(old.accessControl)
        let former = newSecret == nil || hasConditions ? try secret(of: row, old, query, call) : nil
        let oldSecret = newSecret ?? former
        new.attributes["sha1"] = .data(ItemDigest.digest(of: new, secret: oldSecret))
        let leavesTombstone = old.isSynchronizable && !keepsKey
        var newRow = try sealing.row(
            of: new, number: row.rowID, syncIdentifier: leavesTombstone ? entropy.bytes(16) : row.syncIdentifier,
            metadataKey: try metadataKey(toWrite: new, writer), searchKey: searchKey)
        let isSealedTheSame =
            newSecret == nil && new.accessible == old.accessible && new.accessControl == old.accessControl
            && new.accessGroup == old.accessGroup
        if isSealedTheSame {
            newRow.sealedSecret = row.sealedSecret
            newRow.wrappedItemKey = row.wrappedItemKey
        } else if oldSecret != nil || ItemProtection.hasConditions(new.accessControl) {
            let key = try itemKey(for: new, query, call)
            sealing.seal(oldSecret, of: new, into: &newRow, itemKey: key.key, wrapped: key.wrapped)
        }
        try makeRoom(for: newRow, writer)
        try writer.update(newRow)
        if leavesTombstone { try insertTombstone(of: old, row, searchKey, writer) }
    }

    private func changed(_ old: StoredItem, _ changes: ItemChanges) throws -> StoredItem {
        var new = old
        new.attributes.merge(changes.attributes) { $1 }
        new.accessGroup = changes.accessGroup ?? old.accessGroup
        new.isSynchronizable = changes.synchronizable ?? old.isSynchronizable
        new.creationDate =
            changes.creationDate.map { Double(AttributeKind.microseconds($0)) / 1_000_000 } ?? old.creationDate
        let protectionChanges = changes.accessible != nil || changes.accessControl != nil
        var protection = try ItemProtection(
            accessible: protectionChanges ? changes.accessible : nil,
            accessControl: protectionChanges ? changes.accessControl : old.accessControl,
            accessGroup: new.accessGroup, isSynchronizable: new.isSynchronizable)
        if protectionChanges { protection = try bound(protection) }
        new.accessible = protection.accessible
        new.accessControl = protection.accessControl
        return new
    }

    /// The secret of a row, nil if it has none.
    private func secret(
        of row: ItemRow, _ item: StoredItem, _ query: ItemQuery, _ call: ItemCall
    ) throws -> SecretBox? {
        guard row.wrappedItemKey != nil, let keyClass = KeyClass(rawValue: row.keyClass) else {
            // An item with a secret or with conditions always has a key: somebody took it away.
            guard row.sealedSecret == nil, !ItemProtection.hasConditions(item.accessControl) else {
                throw KeyRefusal.damaged
            }
            return nil
        }
        let question = WrappedKey(
            keyClass: keyClass, use: .item, binding: item.accessControl, bytes: row.wrappedItemKey ?? [])
        switch try enclave.unwrap(question, context: call.context.opened) {
        case .key(let key):
            return row.sealedSecret == nil ? nil : try sealing.secret(of: row, item, itemKey: key)
        case .refused(let refusal):
            if let need = call.need(refusal, toOpen: item, .decrypt, for: query) { throw need }
            throw refusal == .locked ? CallFailure.locked(keyClass) : refusal
        }
    }
}
