import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeyThreading

/// The move of items from former homes of the owner's tool to the owner's group.
final class ItemMover: Sendable {
    private static let pageSize = 64

    private let store: ItemStore
    private let vault: ItemVault
    private let homes: OwnersHomes
    private let authentication: AuthenticationBroker
    /// Groups whose items were moved to the owner's group, or could not be, since keys were last loaded or removed.
    private let settled = ForkMutex<Set<String>>([])

    init(store: ItemStore, vault: ItemVault, homes: OwnersHomes, authentication: AuthenticationBroker) {
        self.store = store
        self.vault = vault
        self.homes = homes
        self.authentication = authentication
    }

    var testOnlySettled: Set<String> { settled.withLock { $0 } }

    /// Lets items that could not be moved be tried again, after keys were loaded or removed.
    func forgetSettled() {
        settled.withLock { $0 = [] }
    }

    /// Moves the items that the owner's tool stored under its own path before the owner's group existed, as far as that
    /// needs no user: they belong to the same program. Also moves items that an adoption had to leave in a former home,
    /// but not items that were stored there later. Tried once for each state of the keys.
    func settleItems(of tool: Caller) {
        for home in tool.accessGroups where OwnersGroup.isFormerHome(home) {
            guard settled.withLock({ $0.insert(home).inserted }) else { continue }
            _ = moveItems(from: home, for: tool)
        }
    }

    /// Moves the tool's items in `home` that can be moved now without the user. The others stay, and the tool finds
    /// them there.
    func moveItems(from home: String, for tool: Caller) -> Adoption {
        var mover = tool
        mover.accessGroups = [home, OwnersGroup.name]
        var sum = Adoption()
        for schema in ItemSchema.all {
            guard let all = try? rows(of: schema.itemClass, in: home, after: 0, mover), !all.isEmpty else { continue }
            // All items of a class at once; one that cannot be moved holds up the others.
            if let count = try? move(
                [("class", .string(schema.itemClass.rawValue)), (AttributeName.accessGroup.rawValue, .string(home))],
                mover)
            {
                sum.moved += Int64(count)
            } else {
                sum = sum + moveEach(of: schema.itemClass, from: home, mover)
            }
        }
        if sum.moved > 0 { homes.forgetRecent() }
        return sum
    }

    private func moveEach(of itemClass: ItemClass, from home: String, _ mover: Caller) -> Adoption {
        var sum = Adoption()
        var last: Int64 = 0
        while let page = try? rows(of: itemClass, in: home, after: last, mover), let end = page.last {
            last = end.rowID
            for row in page {
                let reference = PersistentReference.identifier(itemClass, row.identifier)
                do throws(Setback) {
                    _ = try move([("v_PersistentRef", .data(reference.bytes))], mover)
                    sum.moved += 1
                } catch {
                    store.noticeDamage(error)
                    sum.count(CallFailure(error))
                }
            }
        }
        return sum
    }

    private func rows(
        of itemClass: ItemClass, in group: String, after last: Int64, _ mover: Caller
    ) throws(Setback) -> [ItemRow] {
        var filter = RowFilter(itemClass: itemClass)
        filter.accessGroups = [group]
        filter.adoptedItems = mover.adoptedItems
        return try store.rows(matching: filter, after: last, limit: Self.pageSize, withSecret: false)
    }

    /// Updates the group of items, as a program may do between its own groups.
    private func move(_ query: [(String, PropertyValue)], _ mover: Caller) throws(Setback) -> Int {
        var pairs = query.map { QueryPair($0.0, $0.1) }
        if query.count > 1 { pairs.append(QueryPair(.synchronizable, .string("syna"))) }
        let request = ItemRequest(
            operation: .update, query: pairs, changes: [QueryPair(.accessGroup, .string(OwnersGroup.name))],
            wantsResult: false, interaction: Interaction(isAllowed: false))
        let call = try GuardedCall(request.interaction, mover, nil, authentication.enclave)
        return try authentication.inRounds(call) { () throws(Setback) in try vault.update(request, call).affectedRows }
    }
}

extension Adoption {
    /// Counts an item that was not moved.
    fileprivate mutating func count(_ failure: CallFailure) {
        switch failure.code {
        case .duplicateItem: duplicate += 1
        case .interactionNotAllowed where failure.refusal?.rule == .classKeyLocked: locked += 1
        case .interactionNotAllowed, .authFailed: guarded += 1
        default: failed += 1
        }
    }
}
