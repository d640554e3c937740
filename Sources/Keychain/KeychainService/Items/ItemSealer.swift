import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Gives items their numbers and keys, and seals them into rows.
final class ItemSealer: Sendable {
    let sealing: RowSealing
    let circle: ItemCircle
    private let store: ItemStore
    private let itemKeys: ItemKeyPool
    private let passcodeItems: PasscodeItems

    var keys: ProtectionKeys { sealing.keys }

    init(
        store: ItemStore, sealing: RowSealing, circle: ItemCircle, itemKeys: ItemKeyPool, passcodeItems: PasscodeItems
    ) {
        self.circle = circle
        self.store = store
        self.sealing = sealing
        self.itemKeys = itemKeys
        self.passcodeItems = passcodeItems
    }

    /// An item with a new number and its keys, sealed as far as it can be without a transaction.
    func numbered(
        _ described: NewItem, _ query: ItemQuery, _ call: GuardedCall, _ searchKey: SecretBox
    ) throws(Setback) -> NewItem {
        let now = store.nowMicroseconds()
        let number = store.newRowNumber(at: now)
        var new = described.identified(by: newIdentifier(ofRow: number), at: Double(now) / 1_000_000)
        // An item with conditions has a key even without a secret: its attributes are behind the same door.
        let needsKey = new.secret != nil || new.item.accessControl.isConstrained
        let itemKey = needsKey ? try itemKey(for: new.item, query, call) : nil
        new.state = .numbered(number, itemKey: itemKey)
        // Of "when passcode set" the metadata key counts that the transaction finds.
        if new.item.accessible != PasscodeItems.keyClass.protectionClass,
            let metadataKey = KeyClass(new.item.accessible).flatMap({ keys.metadataKeyAtHand($0) })
        {
            new.state = .sealed(try sealed(new, number, itemKey, metadataKey: metadataKey, searchKey: searchKey))
        }
        return new
    }

    /// The row of an item that is stored now. The first item of a class makes the class's metadata key in its own
    /// transaction.
    func row(of new: NewItem, _ searchKey: SecretBox, _ writer: ItemWriter) throws(Setback) -> ItemRow {
        switch new.state {
        case .described: preconditionFailure("an item without a number is stored")
        case .numbered(let number, let itemKey):
            let metadataKey = try metadataKey(toWrite: new.item, writer)
            return try sealed(new, number, itemKey, metadataKey: metadataKey, searchKey: searchKey)
        case .sealed(let row): return row
        }
    }

    /// Returns the row of an item that has other dates than `row`, and the same secret.
    func sealedAgain(
        _ row: ItemRow, _ item: StoredItem, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> ItemRow {
        try sealing.row(
            of: item, number: row.rowID, syncIdentifier: row.syncIdentifier, secret: SealedSecret(of: row),
            listing: row.listing, metadataKey: try metadataKey(toWrite: item, writer), searchKey: searchKey)
    }

    /// A fresh key for an item's secret. Fails if the class cannot be written now.
    func itemKey(
        for item: StoredItem, _ query: ItemQuery, _ call: GuardedCall
    ) throws(Setback) -> NewItem.ItemKey {
        guard let keyClass = KeyClass(item.accessible) else { throw .call(.keyDamaged) }
        do throws(Setback) {
            let made = try itemKeys.take(keyClass, binding: item.accessControl, context: call.context.opened)
            return (made.key, made.wrapped)
        } catch .key(let refusal) {
            let need = call.need(refusal, to: .encrypt, isNew: true, for: query, on: ItemName(of: item)) {
                item.accessControl
            }
            if let need { throw .need(need) }
            throw .call(.keyNotMade(refusal, keyClass))
        }
    }

    /// The metadata key for writing an item's row, with the refusal in the words of a call.
    func metadataKey(toWrite item: StoredItem, _ writer: ItemWriter) throws(Setback) -> SecretBox {
        guard let keyClass = KeyClass(item.accessible) else { throw .call(.keyDamaged) }
        do throws(Setback) {
            return try keys.metadataKey(toWrite: keyClass, in: writer) { () throws(Setback) in
                try passcodeItems.endFormerRows(writer)
            }
        } catch .key(let refusal) {
            throw .call(.keyNotMade(refusal, keyClass))
        }
    }

    /// The tombstone that a synchronizable item leaves under its old primary key: it keeps the sync identifier and has
    /// a persistent reference of its own.
    func newTombstone(
        of old: StoredItem, _ row: ItemRow, _ searchKey: SecretBox, at now: Int64, _ writer: ItemWriter
    ) throws(Setback) -> ItemRow {
        var item = old
        let number = store.newRowNumber(at: store.nowMicroseconds())
        item.identifier = newIdentifier(ofRow: number)
        return try tombstone(
            of: item, number: number, syncIdentifier: row.syncIdentifier, searchKey, at: now, writer)
    }

    /// The row that says an item was deleted: it has its primary key and no other attribute.
    /// - Parameter now: the time of the call, taken before its transaction.
    func tombstone(
        of item: StoredItem, number: Int64, syncIdentifier: [UInt8], _ searchKey: SecretBox, at now: Int64,
        _ writer: ItemWriter
    ) throws(Setback) -> ItemRow {
        var buried = item
        let keyNames = Set((ItemSchema.of(item.itemClass)?.primaryKey ?? []).map(\.name))
        buried.attributes = item.attributes.filter { keyNames.contains($0.key) }
        buried.modificationDate = max(Double(now) / 1_000_000, item.modificationDate + 0.001)
        return try sealing.row(
            of: buried, number: number, isTombstone: true, syncIdentifier: syncIdentifier,
            listing: .unlisted(.everywhere), metadataKey: try metadataKey(toWrite: buried, writer), searchKey: searchKey
        )
    }

    /// Runs a call again where another process took the number of a new row, or removed the passcode that its keys were
    /// made under.
    func retrying<Answer>(_ body: () throws(Setback) -> Answer) throws(Setback) -> Answer {
        var triesLeft = 3
        while true {
            do throws(Setback) {
                return try body()
            } catch .database(.numberTaken) where triesLeft > 0 {
                try store.catchUpWithNumbers()
            } catch .formerPasscodeKeys {
                itemKeys.dropAll()
                guard triesLeft > 0 else { throw .call(.classKeyMissing(PasscodeItems.keyClass)) }
            }
            triesLeft -= 1
        }
    }

    func newIdentifier(ofRow number: Int64) -> [UInt8] {
        PersistentReference.identifier(
            ofRow: number, random: sealing.entropy.bytes(PersistentReference.randomByteCount))
    }

    private func sealed(
        _ new: NewItem, _ number: Int64, _ itemKey: NewItem.ItemKey?, metadataKey: SecretBox, searchKey: SecretBox
    ) throws(Setback) -> ItemRow {
        let secret = itemKey.map { itemKey in
            sealing.sealed(new.secret, of: new.item, itemKey: itemKey.key, wrapped: itemKey.wrapped)
        }
        return try sealing.row(
            of: new.item, number: number, syncIdentifier: sealing.entropy.bytes(16), secret: secret ?? .none,
            listing: circle.listing(of: new.item, secret: new.secret), metadataKey: metadataKey, searchKey: searchKey)
    }
}
