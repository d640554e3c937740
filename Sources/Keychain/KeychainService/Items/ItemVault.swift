import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Adds, changes and deletes items.
final class ItemVault: Sendable {
    let store: ItemStore
    let sealer: ItemSealer
    let uniqueRows: UniqueRows
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems

    var keys: ProtectionKeys { sealer.keys }
    var sealing: RowSealing { sealer.sealing }
    var identities: IdentityJoin { IdentityJoin(store: store, enclaveKeys: enclaveKeys) }

    init(
        store: ItemStore, sealer: ItemSealer, uniqueRows: UniqueRows, enclaveKeys: EnclaveKeyVault, ended: EndedItems
    ) {
        self.store = store
        self.sealer = sealer
        self.uniqueRows = uniqueRows
        self.enclaveKeys = enclaveKeys
        self.ended = ended
    }

    /// `SecItemAdd` (Reference 6.3).
    func add(_ request: ItemRequest, _ call: GuardedCall) throws(Setback) -> ItemReply {
        let query = try request.query(for: .add)
        let group = try AccessGroupChoice.forAdding(query, call.caller)
        if call.caller.isAppClip, query.synchronizable == .synchronizable {
            throw .call(.appClipSynchronizable)
        }
        if query.itemClass == .identity {
            return try sealer.retrying { () throws(Setback) in try addIdentity(query, request, group, call) }
        }
        let new =
            try query.attributes[.tokenID] == nil
            ? newItem(query, group, secret: request.secret(at: query.dataSecret))
            : enclaveKeys.newItem(query, group)
        return try sealer.retrying { () throws(Setback) in
            try addReply(AddedItem(stored(new, query, call)), query)
        }
    }

    func newItem(_ query: ItemQuery, _ group: String, secret: SecretBox?) throws(Setback) -> NewItem {
        NewItem(
            query.itemClass, query.attributes, in: group,
            try enclaveKeys.enclave.bound(ItemProtection.accessControl(of: query, in: group)),
            isSynchronizable: query.synchronizable == .synchronizable, secret: secret)
    }

    private func stored(_ new: NewItem, _ query: ItemQuery, _ call: GuardedCall) throws(Setback) -> NewItem {
        // Made in a transaction of its own where it does not exist yet: inside the next one it would wait for itself.
        let searchKey = try keys.searchKey()
        let numbered = try sealer.numbered(new, query, call, searchKey)
        return try store.write { [self] writer in
            guard case .stored(let stored) = try insert(numbered, searchKey, writer) else {
                throw Setback.call(.duplicate)
            }
            return stored
        }
    }

    /// Stores an item if its primary key is free.
    func insert(_ new: NewItem, _ searchKey: SecretBox, _ writer: ItemWriter) throws(Setback) -> Insertion {
        let row = try sealer.row(of: new, searchKey, writer)
        return try uniqueRows.insert(row, of: new, writer) { date throws(Setback) in
            let later = new.modified(after: date)
            return (try sealer.sealedAgain(row, later.item, searchKey, writer), later)
        }
    }

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
