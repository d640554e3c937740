import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The items of an access group that require authentication, and a change for them.
///
/// They are changed all at once if that works, because the user is then prompted once. Otherwise each is changed by its
/// reference, so that one that cannot be changed does not block the others.
struct GuardedItems {
    let device: DeviceAccess
    let accessGroup: String
    let changes: [QueryPair]

    /// Changes the items. Returns a reply for each item with a known outcome; an item that the user did not open has
    /// none.
    func update() -> [ItemReply] {
        ItemSchema.all.flatMap { schema in
            ProtectionClass.ofItems.flatMap { protectionClass in
                update([
                    QueryPair("class", .string(schema.itemClass.rawValue)),
                    QueryPair(.accessGroup, .string(accessGroup)),
                    // A search ends at an item that is locked: those of other protection classes are found without it.
                    QueryPair(.accessible, .string(protectionClass.rawValue)),
                    QueryPair(.synchronizable, .string("syna")),
                ])
            }
        }
    }

    private func update(_ scope: [QueryPair]) -> [ItemReply] {
        guard let plain = references(scope + [.skipsAsking]) else { return [] }
        if plain.isEmpty {
            let reply = perform(.update, scope)
            switch reply.code {
            case .success: return Array(repeating: reply, count: reply.affectedRows)
            case .itemNotFound, .userCanceled, .interactionNotAllowed: return []
            default: break
            }
        }
        let guarded = (references(scope) ?? []).filter { !plain.contains($0) }
        return guarded.map { perform(.update, [QueryPair("v_PersistentRef", .data($0))]) }
    }

    /// Nil where the search was refused.
    private func references(_ query: [QueryPair]) -> [[UInt8]]? {
        perform(.find, query + QueryPair.allReferences).references
    }

    private func perform(_ operation: ItemOperation, _ query: [QueryPair]) -> ItemReply {
        device.call(
            ItemRequest(
                operation: operation, query: query, changes: operation == .update ? changes : [],
                wantsResult: operation == .find))
    }
}
