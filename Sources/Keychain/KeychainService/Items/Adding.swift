import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// `SecItemAdd` (Reference 6.3).
extension KeychainService {
    func add(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let query = try request.query(for: .add)
        let group = try GroupChoice.forAdding(query, call.caller)
        if call.caller.isAppClip, query.synchronizable == .synchronizable {
            throw .call(.appClipSynchronizable)
        }
        if query.itemClass == .identity {
            return try retrying { () throws(Setback) in try addIdentity(query, request, group, call) }
        }
        let new =
            try query.attributes[.tokenID] == nil
            ? newItem(query, group, secret: request.secret(at: query.dataSecret))
            : enclaveKeys.newItem(query, group)
        return try retrying { () throws(Setback) in
            let item = try stored(new, query, call)
            return addReply(AddedItem(item, new), query)
        }
    }

    func newItem(_ query: ItemQuery, _ group: String, secret: SecretBox?) throws(Setback) -> NewItem {
        NewItem(
            itemClass: query.itemClass, attributes: query.attributes, accessGroup: group,
            accessControl: try enclave.bound(ItemProtection.accessControl(of: query, in: group)),
            isSynchronizable: query.synchronizable == .synchronizable, secret: secret)
    }

    private func stored(_ new: NewItem, _ query: ItemQuery, _ call: GuardedCall) throws(Setback) -> StoredItem {
        // Made in a transaction of its own where it does not exist yet: inside the next one it would wait for itself.
        let searchKey = try keys.searchKey()
        let prepared = try prepared(new, query, call, searchKey)
        try store.write { [self] writer in
            if try insert(prepared, searchKey, writer) != nil { throw Setback.call(.duplicate) }
        }
        return prepared.item
    }

    /// An item with its number and keys, as far as it can be made without a transaction.
    func prepared(
        _ new: NewItem, _ query: ItemQuery, _ call: GuardedCall, _ searchKey: SecretBox
    ) throws(Setback) -> PreparedItem {
        let now = nowMicroseconds()
        let number = store.newRowNumber(at: now)
        let item = new.item(identifier: newIdentifier(ofRow: number), at: Double(now) / 1_000_000)
        // An item with conditions has a key even without a secret: its attributes are behind the same door.
        let needsKey = new.secret != nil || item.accessControl.isConstrained
        var prepared = PreparedItem(
            item: item, number: number, secret: new.secret,
            itemKey: needsKey ? try itemKey(for: item, query, call) : nil, enclaveKey: new.enclaveKey)
        // Of "when passcode set" the metadata key counts that the transaction finds.
        if item.accessible != Self.passcodeClass.protectionClass,
            let metadataKey = KeyClass(item.accessible).flatMap({ keys.metadataKeyAtHand($0) })
        {
            prepared.row = try sealed(prepared, metadataKey: metadataKey, searchKey: searchKey)
        }
        return prepared
    }

    /// Stores an item if its primary key is free.
    /// - Returns: the live row that is in the way; then nothing was stored.
    func insert(_ prepared: PreparedItem, _ searchKey: SecretBox, _ writer: ItemWriter) throws(Setback) -> ItemRow? {
        // The first item of a class makes the class's metadata key in its own transaction.
        let row =
            if let sealed = prepared.row {
                sealed
            } else {
                try sealed(prepared, metadataKey: metadataKey(toWrite: prepared.item, writer), searchKey: searchKey)
            }
        if try !onDisk(writer.insertIfFree(row)) {
            if let other = try liveRow(inTheWayOf: row, writer) { return other }
            try onDisk(writer.insert(row))
        }
        try confirm(row, prepared.item, writer)
        try confirm(prepared)
        return nil
    }

    func newIdentifier(ofRow number: Int64) -> [UInt8] {
        PersistentReference.identifier(ofRow: number, random: entropy.bytes(PersistentReference.randomByteCount))
    }

    /// A fresh key for an item's secret. Fails if the class cannot be written now.
    func itemKey(
        for item: StoredItem, _ query: ItemQuery, _ call: GuardedCall
    ) throws(Setback) -> (key: SecretBox, wrapped: [UInt8]) {
        guard let keyClass = KeyClass(item.accessible) else { throw .call(.keyDamaged) }
        do throws(Setback) {
            let made = try itemKeys.take(keyClass, binding: item.accessControl, context: call.context.opened)
            return (made.key, made.wrapped)
        } catch .key(let refusal) {
            let need = call.need(refusal, to: .encrypt, isNew: true, for: query, on: ItemName(of: item)) {
                item.accessControl
            }
            if let need { throw .need(need) }
            throw .call(callFailure(refusal, keyClass))
        }
    }

    func callFailure(_ refusal: KeyRefusal, _ keyClass: KeyClass) -> CallFailure {
        switch refusal {
        case .locked: .locked(keyClass)
        case .classKeyMissing: .classKeyMissing(keyClass)
        case .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword, .deleted: .keyDamaged
        }
    }

    /// The metadata key for writing an item's row, with the refusal in the words of a call.
    func metadataKey(toWrite item: StoredItem, _ writer: ItemWriter) throws(Setback) -> SecretBox {
        guard let keyClass = KeyClass(item.accessible) else { throw .call(.keyDamaged) }
        do throws(Setback) {
            return try keys.metadataKey(toWrite: keyClass, in: writer) { () throws(Setback) in
                try endFormerPasscodeRows(writer)
            }
        } catch .key(let refusal) {
            throw .call(callFailure(refusal, keyClass))
        }
    }

    private func sealed(_ new: PreparedItem, metadataKey: SecretBox, searchKey: SecretBox) throws(Setback) -> ItemRow {
        let secret = new.itemKey.map { itemKey in
            sealing.sealed(new.secret, of: new.item, itemKey: itemKey.key, wrapped: itemKey.wrapped)
        }
        return try sealing.row(
            of: new.item, number: new.number, syncIdentifier: entropy.bytes(16), secret: secret ?? .none,
            metadataKey: metadataKey, searchKey: searchKey)
    }

    func nowMicroseconds() -> Int64 { AttributeKind.microseconds(clock.wallTime().seconds) }

    func addReply(_ added: AddedItem, _ query: ItemQuery) -> ItemReply {
        let shape = ResultShape(returns: query.returns, limit: nil, itemClass: query.itemClass)
        let secrets = shape.needsData ? added.secrets : []
        var entry = shape.entry(
            for: added.item, data: added.data.map { .secret($0) },
            certificateData: added.certificateData.map { .secret($0) },
            reference: shape.needsReference ? added.object?.value : nil, toFind: false)
        // An add that returns data returns empty data for an item without; a find returns nothing.
        if query.returns == .data, added.data == nil { entry = .data([]) }
        return ItemReply(code: .success, result: entry, secrets: secrets, affectedRows: 1)
    }
}
