import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

extension ItemVault {
    /// Updates all matching rows in one transaction (`SecItemUpdate`, Reference 6.5). The rows of an identity are its
    /// certificate and its key: both are changed, or neither.
    func update(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let caller = call.caller
        let query = try request.query(for: .update, adoptedItems: call.caller.adoptedItems)
        // Other classes have no attribute `toid`: the grammar refuses it there.
        let tokenNames: [AttributeName] =
            [.key, .identity].contains(query.itemClass) ? [.tokenID, .tokenOID] : [.tokenID]
        if request.changes.contains(where: { change in tokenNames.contains { change.key == .string($0.rawValue) } }) {
            throw .call(.tokenChange)
        }
        let changes = try request.changes(of: query.itemClass)
        if query.itemClass == .identity, changes.dataSecret != nil { throw .call(.identityData) }
        let groups = try AccessGroupChoice.searched(query, caller, writing: true)
        if let target = changes.accessGroup { try AccessGroupChoice.check(target, caller, writing: true) }
        if caller.isAppClip, changes.synchronizable == true { throw .call(.appClipSynchronizable) }
        let newSecret = try request.secret(at: changes.dataSecret)
        let searchKey = try keys.searchKey()
        // Before the transaction, which may wait for others and may run twice.
        let now = store.nowMicroseconds()
        let count = try sealer.retrying { () throws(Setback) in
            try store.write { [self] writer in
                // All rows are read first: an update can move rows into and out of its own query.
                var undecodable: [(row: ItemRow, refusal: KeyRefusal)] = []
                let rows = try rows(toUpdate: query, groups, searchKey, call, &undecodable, writer)
                return try change(rows, setAside: undecodable, changes, newSecret, searchKey, call, at: now, writer)
            }
        }
        guard count > 0 else { throw .call(ended.absence(of: query, groups)) }
        return ItemReply(code: .success, affectedRows: count)
    }

    /// Returns the rows to update, each with the part of the query that applies to it.
    private func rows(
        toUpdate query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ call: GuardedCall,
        _ undecodable: inout [(row: ItemRow, refusal: KeyRefusal)], _ writer: ItemWriter
    ) throws(Setback) -> [(row: ItemRow, query: ItemQuery)] {
        // A tombstone says what was deleted, and stays as it is.
        guard !query.asksForTombstones else { return [] }
        guard query.itemClass == .identity else {
            let matching = try self.rows(matching: query, groups, searchKey, call, writer)
            undecodable += matching.moved.map { ($0, .damaged) }
            return matching.rows.map { ($0, query) }
        }
        var opening = RowOpening(enclaveKeys, query, call, in: writer.reader)
        let halves = try identities.all(of: query, groups, searchKey, &opening, writer.reader)
        undecodable += opening.undecodable.values
        return halves.certificates.map { ($0.row, query.certificateSide) }
            + halves.keys.map { ($0.row, query.keySide) }
    }

    /// Changes the rows, and sets aside the rows that cannot be decoded.
    /// - Returns: the number of changed rows.
    private func change(
        _ rows: [(row: ItemRow, query: ItemQuery)], setAside found: [(row: ItemRow, refusal: KeyRefusal)],
        _ changes: ItemChanges, _ newSecret: SecretBox?, _ searchKey: SecretBox, _ call: GuardedCall,
        at now: Int64, _ writer: ItemWriter
    ) throws(Setback) -> Int {
        var undecodable = found
        var count = 0
        for (row, side) in rows {
            do throws(Setback) {
                if try change(row, side, changes, newSecret, searchKey, call, at: now, writer) { count += 1 }
            } catch .key(let refusal) where refusal != .locked {
                undecodable.append((row, refusal))
            }
        }
        for (row, refusal) in undecodable { try ended.setAside(row, refusal, writer) }
        return count
    }

    /// Changes one row.
    /// - Returns: false if the query does not match the row.
    private func change(
        _ row: ItemRow, _ query: ItemQuery, _ changes: ItemChanges, _ newSecret: SecretBox?, _ searchKey: SecretBox,
        _ call: GuardedCall, at now: Int64, _ writer: ItemWriter
    ) throws(Setback) -> Bool {
        let old: StoredItem
        do throws(Setback) {
            old = try sealing.item(of: row, in: writer.reader)
            switch RowSearch.match(old, query) {
            case .fits: break
            case .other: return false
            case .damaged: throw .key(.damaged)
            }
        } catch .key(.locked) {
            throw .call(.locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked))
        }
        if old.isOfEnclave {
            guard let label = try label(ofEnclaveRow: row, old, query, call) else { return false }
            try check(changes, ofEnclaveKey: label)
        }
        var new = try changed(old, changes)
        let keepsKey = new.primaryKeyBytes == old.primaryKeyBytes
        new.modificationDate = max(Double(now) / 1_000_000, old.modificationDate + 0.001)
        // An access control with conditions must be satisfied even if the secret is replaced, so the old one is opened.
        let hasConditions = old.accessControl.isConstrained
        let former = newSecret == nil || hasConditions ? try secret(of: row, old, query, call) : nil
        let oldSecret = newSecret ?? former
        new.setStoredDigest(secret: oldSecret)
        let leavesTombstone = old.isSynchronizable && !keepsKey
        let isSealedTheSame =
            newSecret == nil && new.accessible == old.accessible && new.accessControl == old.accessControl
            && new.accessGroup == old.accessGroup
        var sealedSecret = SealedSecret.none
        if isSealedTheSame {
            sealedSecret = SealedSecret(of: row)
        } else if oldSecret != nil || new.accessControl.isConstrained {
            let key = try sealer.itemKey(for: new, query, call)
            sealedSecret = sealing.sealed(oldSecret, of: new, itemKey: key.key, wrapped: key.wrapped)
        }
        let newRow = try sealing.row(
            of: new, number: row.rowID,
            syncIdentifier: leavesTombstone ? sealing.entropy.bytes(16) : row.syncIdentifier,
            secret: sealedSecret,
            listing: sealer.circle.listing(
                of: new, secret: oldSecret, orElse: leavesTombstone ? .everywhere : .here),
            metadataKey: try sealer.metadataKey(toWrite: new, writer), searchKey: searchKey)
        try uniqueRows.update(newRow, of: new, writer) { date throws(Setback) in
            var later = new
            later.setModificationDate(after: date)
            later.setStoredDigest(secret: oldSecret)
            return (try sealer.sealedAgain(newRow, later, searchKey, writer), later)
        }
        if leavesTombstone {
            let tombstone = try sealer.newTombstone(of: old, row, searchKey, at: now, writer)
            try onDisk(writer.insert(tombstone))
        }
        return true
    }

    /// Returns the label of an enclave key's row, which its public key has; nil if the query names another key. If the
    /// key no longer exists, throws as for a row that cannot be decoded.
    private func label(
        ofEnclaveRow row: ItemRow, _ item: StoredItem, _ query: ItemQuery, _ call: GuardedCall
    ) throws(Setback) -> [UInt8]? {
        guard let record = try secret(of: row, item, query, call).flatMap({ EnclaveKeyRecord($0) }) else {
            throw .key(.damaged)
        }
        if let wanted = query.tokenObject, wanted != record.blob { return nil }
        switch try enclaveKeys.descriptions(of: [record.blob])[0] {
        case .gone(let refusal): throw .key(refusal)
        case .present(let point, _): return sha1(point)
        }
    }

    private func check(_ changes: ItemChanges, ofEnclaveKey label: [UInt8]) throws(Setback) {
        if changes.dataSecret != nil { throw .call(.tokenData) }
        if changes.accessible != nil || changes.accessControl != nil { throw .call(.tokenProtection) }
        if changes.synchronizable == true { throw .call(.tokenSynchronizable) }
        let ofEnclave = KeyAttributes.ofNewEnclaveItem(label: label)
        if let name = changes.attributes.keys.filter({ ofEnclave[$0] != nil }).min() {
            throw .call(.tokenAttributes(name))
        }
    }

    private func changed(_ old: StoredItem, _ changes: ItemChanges) throws(Setback) -> StoredItem {
        var new = old
        new.attributes.merge(changes.attributes) { $1 }
        new.accessGroup = changes.accessGroup ?? old.accessGroup
        new.isSynchronizable = changes.synchronizable ?? old.isSynchronizable
        new.creationDate =
            changes.creationDate.map { Double(AttributeKind.microseconds($0)) / 1_000_000 } ?? old.creationDate
        let protectionChanges = changes.accessible != nil || changes.accessControl != nil
        var accessControl = try ItemProtection.accessControl(
            accessible: protectionChanges ? changes.accessible : nil,
            accessControl: protectionChanges ? changes.accessControl : old.accessControl, itemClass: new.itemClass,
            accessGroup: new.accessGroup, isSynchronizable: new.isSynchronizable)
        if protectionChanges { accessControl = try enclaveKeys.enclave.bound(accessControl) }
        new.accessible = accessControl.protection
        new.accessControl = accessControl
        return new
    }

    /// Returns the secret of a row; nil if it has none.
    private func secret(
        of row: ItemRow, _ item: StoredItem, _ query: ItemQuery, _ call: GuardedCall
    ) throws(Setback) -> SecretBox? {
        let opened = DecryptedRow(row: row, item: item)
        guard opened.isWhole else { throw .key(.damaged) }
        if row.wrappedItemKey == nil { return nil }
        switch try enclaveKeys.enclave.unwrap(opened.question, context: call.context.opened) {
        case .key(let key):
            return row.sealedSecret == nil ? nil : try sealing.secret(of: row, item, itemKey: key)
        case .refused(let refusal):
            let need = call.need(
                refusal, to: .decrypt, for: query, on: ItemName(of: item), under: { item.accessControl })
            if let need { throw .need(need) }
            throw refusal == .locked ? .call(.locked(opened.keyClass)) : .key(refusal)
        }
    }
}

extension CallFailure {
    fileprivate static let tokenChange = CallFailure(.param, .tokenChange)

    fileprivate static let tokenData = CallFailure(.param, .tokenData)

    fileprivate static let tokenProtection = CallFailure(.param, .tokenProtection)

    fileprivate static func tokenAttributes(_ name: AttributeName) -> CallFailure {
        CallFailure(.param, .tokenAttributes, name)
    }

    fileprivate static let identityData = CallFailure(
        .param, .keyNotAllowedHere, "kSecValueData", "the changes of an identity", "Change the key or the certificate.")
}
