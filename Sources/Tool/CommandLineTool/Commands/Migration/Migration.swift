import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The items of one device on their way to another one. An item leaves the first once the second has it on its disk; a
/// migration that was cut short can be run again: items that were already moved are recognised.
struct Migration {
    struct Left: Equatable {
        /// Nil where the device does not say which class they are of.
        let itemClass: String?
        let what: String
        let why: String
    }

    let source: MigrationEnd
    let target: MigrationEnd
    let keepsItems: Bool
    private(set) var moved = 0
    /// Items that the second device had already, the same in everything that moves.
    private(set) var present = 0
    private(set) var left: [Left] = []
    /// Rows that the first device could not read and set aside before this migration began. They are nothing that it
    /// could move, and no failure of it: the report names them, and the exit code does not.
    private(set) var setAsideBefore = 0
    /// The reason why the migration ended before it came to all items; nil if it did not.
    private(set) var failure: CommandFailure?

    private static let everything = AccessGroupList.everything

    init(source: MigrationEnd, target: MigrationEnd, keepsItems: Bool) {
        self.source = source
        self.target = target
        self.keepsItems = keepsItems
    }

    mutating func run() {
        do throws(CommandFailure) {
            setAsideBefore = Int(try source.device.status().quarantinedRows)
            for schema in ItemSchema.all { try moveAll(of: schema.itemClass.rawValue) }
            try nameQuarantined()
        } catch {
            failure = error
        }
    }

    private mutating func moveAll(of itemClass: String) throws(CommandFailure) {
        let references = try references(of: itemClass)
        // The search has set aside the rows that it could not read: only the rest is counted as missing.
        let count = Int(try source.device.status().itemCounts[itemClass] ?? 0)
        for reference in references {
            guard let item = try item(at: reference, itemClass) else { continue }
            try move(item)
        }
        if count > references.count { try moveGuarded(itemClass, besides: references, count: count) }
    }

    /// Returns references of the items that require no authentication.
    private func references(of itemClass: String) throws(CommandFailure) -> [[UInt8]] {
        let reply = source.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string(itemClass)), QueryPair(.synchronizable, .string("syna")), .skipsAsking,
                ] + QueryPair.allReferences, wantsResult: true), in: Self.everything)
        guard let references = reply.references else { throw CommandFailure(reply) }
        return references
    }

    /// Nil for an item that stays, and is recorded as such, and for one that is gone: its program deleted it, or it is
    /// damaged and the device has set it aside, which ``nameQuarantined()`` tells.
    private mutating func item(at reference: [UInt8], _ itemClass: String) throws(CommandFailure) -> MigratingItem? {
        let reply = try Self.reachable(
            source.perform(
                ItemRequest(
                    operation: .find,
                    query: [QueryPair("v_PersistentRef", .data(reference))] + QueryPair.wholeItem,
                    wantsResult: true), in: Self.everything))
        guard reply.code != .itemNotFound else { return nil }
        guard reply.code == .success, let value = reply.result,
            let item = MigratingItem(value, itemClass: itemClass, secrets: reply.secrets)
        else {
            left.append(
                Left(itemClass: itemClass, what: MigratingItem.kind(itemClass, 1), why: Self.reason(of: reply)))
            return nil
        }
        return item
    }

    /// The person is asked for what is left: once for all items of a class that ask for the same.
    private mutating func moveGuarded(
        _ itemClass: String, besides known: [[UInt8]], count: Int
    ) throws(CommandFailure) {
        let quarantined = try source.device.status().quarantinedRows
        let reply = try Self.reachable(
            source.perform(
                ItemRequest(
                    operation: .find,
                    query: [
                        QueryPair("class", .string(itemClass)), QueryPair(.synchronizable, .string("syna")),
                        QueryPair("m_Limit", .string("m_LimitAll")),
                    ] + QueryPair.wholeItem, wantsResult: true), in: Self.everything))
        let damaged = Int(try source.device.status().quarantinedRows - quarantined)
        let missing = count - known.count - damaged
        guard missing > 0 else { return }
        guard reply.code == .success, case .array(let values)? = reply.result else {
            left.append(
                Left(
                    itemClass: itemClass, what: "\(MigratingItem.kind(itemClass, missing)), requiring authentication",
                    why: Self.reason(of: reply)))
            return
        }
        let items = values.compactMap { MigratingItem($0, itemClass: itemClass, secrets: reply.secrets) }
            .filter { !known.contains($0.reference) }
        for item in items { try move(item) }
        guard missing > items.count else { return }
        left.append(
            Left(
                itemClass: itemClass,
                what: "\(MigratingItem.kind(itemClass, missing - items.count)), not shown to this tool",
                why: "their programs demand a better assurance level than it has, or they cannot be read"))
    }

    /// Items that this migration met and the device set aside. Another migration does not meet them any more.
    private mutating func nameQuarantined() throws(CommandFailure) {
        let count = Int(try source.device.status().quarantinedRows) - setAsideBefore
        guard count > 0 else { return }
        left.append(
            Left(
                itemClass: nil, what: ItemCount.text(count, "damaged item"),
                why: "their device could not read them and set them aside; `latchkey status` counts them"))
    }

    private mutating func move(_ item: MigratingItem) throws(CommandFailure) {
        guard !item.isOfEnclave else {
            return leave(item, "its private half is in the enclave of its device, and never leaves it. Make a new key")
        }
        let reply = try Self.reachable(target.perform(item.adding, in: item.group))
        switch reply.code {
        case .success:
            if case .data(let reference)? = reply.result { date(item, at: reference) }
            moved += 1
        case .duplicateItem:
            if let difference = try difference(from: item) { return leave(item, difference) }
            present += 1
        default:
            return leave(item, Self.reason(of: reply))
        }
        guard !keepsItems else { return }
        let deleted = try Self.reachable(
            source.perform(
                ItemRequest(
                    operation: .delete, query: [QueryPair("v_PersistentRef", .data(item.reference))],
                    wantsResult: false), in: Self.everything))
        if deleted.code != .success {
            leave(item, "it was copied, and could not be deleted here: \(Self.reason(of: deleted))")
        }
    }

    /// A date that cannot be set does not fail the migration. That of a guarded item is not set: the update would
    /// prompt the user again, for each item.
    private func date(_ item: MigratingItem, at reference: [UInt8]) {
        guard !item.isGuarded, let dating = item.dating(reference) else { return }
        _ = target.perform(dating, in: item.group)
    }

    /// The reason why the other device's item of the same name is not this one; nil if it is: a migration may have been
    /// cut short after it added the item.
    private func difference(from item: MigratingItem) throws(CommandFailure) -> String? {
        let reply = try Self.reachable(target.perform(item.finding, in: item.group))
        // The same query without prompts leaves out items that require authentication.
        guard reply.code != .itemNotFound else {
            return "the other device has an item of the same name that requires authentication"
        }
        guard reply.code == .success, case .array(let values)? = reply.result else {
            return "the other device has an item of the same name, and did not show it: \(Self.reason(of: reply))"
        }
        let found = values.compactMap { MigratingItem($0, itemClass: item.itemClass, secrets: reply.secrets) }
            .first { $0.hasName(of: item) }
        guard let found else { return "the other device has an item of the same name that cannot be read" }
        if let difference = item.difference(from: found) {
            return "the other device has an item of the same name with \(difference)"
        }
        // An item that was added may still lack its date.
        if item.isOlder(than: found) { date(item, at: found.reference) }
        return nil
    }

    private static func reason(of reply: ItemReply) -> String {
        reply.refusal?.reason ?? ErrorTable.message(for: reply.code)
    }

    /// The reply, unless the device is not there any more: then there is no use in going on.
    private static func reachable(_ reply: ItemReply) throws(CommandFailure) -> ItemReply {
        guard reply.refusal?.rule != .daemonUnreachable else { throw CommandFailure(reply) }
        return reply
    }

    private mutating func leave(_ item: MigratingItem, _ why: String) {
        left.append(Left(itemClass: item.itemClass, what: item.description, why: why))
    }
}
