import AccessControl
import CryptoSuite
import EnclaveCore
import ItemDatabase
import ItemModel
import Keybag
import KeychainMessages
import PropertyListDER
import SecretMemory

/// `SecItemAdd` (secitem-semantics 6.3).
extension KeychainService {
    func add(_ request: ItemRequest, _ call: ItemCall) throws -> ItemReply {
        let caller = call.caller
        let query = try request.query(for: .add)
        let group = try GroupChoice.forAdding(query, caller)
        if query.attributes["tkid"] != nil { throw CallFailure(QueryRefusal.laterFeature("Items of tokens are")) }
        if caller.isAppClip, query.synchronizable == .synchronizable { throw CallFailure.appClipSynchronizable }
        let protection = try bound(
            ItemProtection(
                accessible: query.accessible, accessControl: query.accessControl, accessGroup: group,
                isSynchronizable: query.synchronizable == .synchronizable))
        let secret = try request.secret(at: query.dataSecret)
        var triesLeft = 3
        while true {
            do {
                let item = try addedItem(query, group, protection, secret, call)
                return addReply(item, query, secret)
            } catch ItemDatabaseFailure.numberTaken where triesLeft > 0 {
                triesLeft -= 1
                try store.database.catchUpWithNumbers()
            }
        }
    }

    private func addedItem(
        _ query: ItemQuery, _ group: String, _ protection: ItemProtection, _ secret: SecretBox?, _ call: ItemCall
    ) throws -> StoredItem {
        let now = nowMicroseconds()
        let number = store.database.newRowNumber(at: now)
        let item = newItem(query, group, protection, secret, number: number, at: now)
        // An item with conditions has a key even without a secret: its attributes are behind the same door.
        let needsKey = secret != nil || ItemProtection.hasConditions(item.accessControl)
        let made = needsKey ? try itemKey(for: item, query, call) : nil
        // Made in a transaction of its own where it does not exist yet: inside the next one it would wait for itself.
        let searchKey = try keys.searchKey()
        let ready = try KeyClass(accessibleName: item.accessible).flatMap { keys.metadataKeyAtHand($0) }
            .map { try sealed(item, number, secret, made, metadataKey: $0, searchKey: searchKey) }
        try store.database.write { [self] writer in
            // The first item of a class makes the class's metadata key in its own transaction.
            let row =
                try ready
                ?? sealed(
                    item, number, secret, made, metadataKey: metadataKey(toWrite: item, writer), searchKey: searchKey)
            if try writer.insertIfFree(row) { return }
            try makeRoom(for: row, writer)
            try writer.insert(row)
        }
        return item
    }

    private func newItem(
        _ query: ItemQuery, _ group: String, _ protection: ItemProtection, _ secret: SecretBox?, number: Int64,
        at microseconds: Int64
    ) -> StoredItem {
        let now = Double(microseconds) / 1_000_000
        var attributes = query.attributes
        for part in ItemSchema.of(query.itemClass)?.primaryKey ?? [] where attributes[part.name] == nil {
            attributes[part.name] = part.defaultValue
        }
        var item = StoredItem(
            itemClass: query.itemClass, attributes: attributes, accessGroup: group,
            accessible: protection.accessible, accessControl: protection.accessControl,
            isSynchronizable: query.synchronizable == .synchronizable, creationDate: now, modificationDate: now,
            identifier: newIdentifier(ofRow: number))
        item.attributes["sha1"] = .data(ItemDigest.digest(of: item, secret: secret))
        return item
    }

    func newIdentifier(ofRow number: Int64) -> [UInt8] {
        PersistentReference.identifier(ofRow: number, random: entropy.bytes(PersistentReference.randomByteCount))
    }

    /// A fresh key for an item's secret. Fails if the class cannot be written now.
    func itemKey(
        for item: StoredItem, _ query: ItemQuery, _ call: ItemCall
    ) throws -> (key: SecretBox, wrapped: [UInt8]) {
        guard let keyClass = KeyClass(accessibleName: item.accessible) else { throw CallFailure.keyDamaged }
        do {
            let made = try itemKeys.take(keyClass, binding: item.accessControl, context: call.context.opened)
            return (made.key, made.wrapped)
        } catch let refusal as KeyRefusal {
            if let need = call.need(refusal, toOpen: item, .encrypt, for: query) { throw need }
            throw callFailure(refusal, keyClass)
        }
    }

    func callFailure(_ refusal: KeyRefusal, _ keyClass: KeyClass) -> CallFailure {
        switch refusal {
        case .locked: .locked(keyClass)
        case .classKeyMissing: .classKeyMissing(keyClass)
        case .damaged, .authenticationNeeded, .invalidated, .wrongApplicationPassword: .keyDamaged
        }
    }

    /// The metadata key for writing an item's row, with the refusal in the words of a call.
    func metadataKey(toWrite item: StoredItem, _ writer: ItemWriter) throws -> SecretBox {
        guard let keyClass = KeyClass(accessibleName: item.accessible) else { throw CallFailure.keyDamaged }
        do {
            return try keys.metadataKey(toWrite: keyClass, in: writer)
        } catch let refusal as KeyRefusal {
            throw callFailure(refusal, keyClass)
        }
    }

    private func sealed(
        _ item: StoredItem, _ number: Int64, _ secret: SecretBox?, _ itemKey: (key: SecretBox, wrapped: [UInt8])?,
        metadataKey: SecretBox, searchKey: SecretBox
    ) throws -> ItemRow {
        var row = try sealing.row(
            of: item, number: number, syncIdentifier: entropy.bytes(16), metadataKey: metadataKey, searchKey: searchKey)
        if let itemKey {
            sealing.seal(secret, of: item, into: &row, itemKey: itemKey.key, wrapped: itemKey.wrapped)
        }
        return row
    }

    /// The primary key must be free: a tombstone or a row that can no longer be decoded gives way, a live row does not.
    func makeRoom(for row: ItemRow, _ writer: ItemWriter) throws {
        guard let other = try writer.reader.row(withPrimaryKeyOf: row), other.rowID != row.rowID else { return }
        if other.isTombstone { return try writer.delete(other) }
        do {
            let item = try sealing.item(of: other, in: writer.reader)
            if isInvalidated(other, item) { throw KeyRefusal.invalidated }
        } catch let refusal as KeyRefusal where refusal != .locked {
            return try writer.quarantine(other, reason: Self.quarantineReason(refusal), at: nowMicroseconds())
        } catch is KeyRefusal {
            throw CallFailure.duplicate
        }
        throw CallFailure.duplicate
    }

    /// Whether an item was for an enrolment set that is gone for good.
    private func isInvalidated(_ row: ItemRow, _ item: StoredItem) -> Bool {
        guard (try? AccessControl(serialised: item.accessControl))?.enrolmentSet != nil,
            let keyClass = KeyClass(rawValue: row.keyClass), let wrapped = row.wrappedItemKey
        else { return false }
        let question = WrappedKey(keyClass: keyClass, use: .item, binding: item.accessControl, bytes: wrapped)
        if case .refused(.invalidated)? = try? enclave.unwrap(question) { return true }
        return false
    }

    static func quarantineReason(_ refusal: KeyRefusal) -> String {
        switch refusal {
        case .classKeyMissing: "the key of its protection class no longer exists"
        case .invalidated: "the fingers it was for are no longer those that are enrolled"
        default: "it cannot be decoded"
        }
    }

    func nowMicroseconds() -> Int64 { AttributeKind.microseconds(clock.wallTime()) }

    private func addReply(_ item: StoredItem, _ query: ItemQuery, _ secret: SecretBox?) -> ItemReply {
        let shape = ResultShape(returns: query.returns, limit: nil)
        var entry = shape.entry(for: item, data: secret.map { _ in .secret(0) }, toFind: false)
        // An add that returns data returns empty data for an item without; a find returns nothing.
        if query.returns == .data, secret == nil { entry = .data([]) }
        return ItemReply(
            code: .success, result: entry, secrets: shape.needsData ? secret.map { [$0] } ?? [] : [], affectedRows: 1)
    }
}
