import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The items of one device on their way to another one. An item leaves the first once the second has it on its disk; a
/// migration that was cut short is begun again, and finds what it did.
struct Migration {
    struct Left: Equatable {
        let itemClass: String
        let what: String
        let why: String
    }

    let source: MigrationEnd
    let target: MigrationEnd
    let keepsItems: Bool
    private(set) var moved = 0
    /// Items that the second device had already, with the same secret.
    private(set) var present = 0
    private(set) var left: [Left] = []

    private static let everything = AccessGroupList.everything

    init(source: MigrationEnd, target: MigrationEnd, keepsItems: Bool) {
        self.source = source
        self.target = target
        self.keepsItems = keepsItems
    }

    mutating func run() throws(CommandFailure) {
        let counts = try source.device.status().itemCounts
        for schema in ItemSchema.all {
            let itemClass = schema.itemClass.rawValue
            let references = try references(of: itemClass)
            for reference in references { move(try item(at: reference, itemClass)) }
            try moveGuarded(itemClass, besides: references, count: counts[itemClass] ?? 0)
        }
    }

    /// What asks for nobody.
    private func references(of itemClass: String) throws(CommandFailure) -> [[UInt8]] {
        let reply = source.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string(itemClass)), QueryPair("sync", .string("syna")),
                    QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_PersistentRef", .boolean(true)),
                    QueryPair("u_AuthUI", .string("u_AuthUIS")),
                ], wantsResult: true), in: Self.everything)
        guard reply.code != .itemNotFound else { return [] }
        guard reply.code == .success, case .array(let values)? = reply.result else { throw CommandFailure(reply) }
        return values.compactMap { value in if case .data(let reference) = value { reference } else { nil } }
    }

    private func item(at reference: [UInt8], _ itemClass: String) throws(CommandFailure) -> MigratingItem {
        let reply = source.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("v_PersistentRef", .data(reference)), QueryPair("r_Attributes", .boolean(true)),
                    QueryPair("r_Data", .boolean(true)), QueryPair("r_PersistentRef", .boolean(true)),
                ], wantsResult: true), in: Self.everything)
        guard reply.code == .success, let value = reply.result,
            let item = MigratingItem(value, itemClass: itemClass, secrets: reply.secrets)
        else { throw CommandFailure(reply) }
        return item
    }

    /// The person is asked for what is left: once for all items of a class that ask for the same.
    private mutating func moveGuarded(
        _ itemClass: String, besides known: [[UInt8]], count: Int64
    ) throws(CommandFailure) {
        let missing = Int(count) - known.count
        guard missing > 0 else { return }
        let reply = source.perform(
            ItemRequest(
                operation: .find,
                query: [
                    QueryPair("class", .string(itemClass)), QueryPair("sync", .string("syna")),
                    QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Attributes", .boolean(true)),
                    QueryPair("r_Data", .boolean(true)), QueryPair("r_PersistentRef", .boolean(true)),
                ], wantsResult: true), in: Self.everything)
        guard reply.code == .success, case .array(let values)? = reply.result else {
            let why = reply.refusal?.reason ?? ErrorTable.message(for: reply.code)
            left.append(
                Left(
                    itemClass: itemClass, what: "\(MigratingItem.kind(itemClass, missing)), asking for a person",
                    why: PlainText.escaped(why)))
            return
        }
        for value in values {
            guard let item = MigratingItem(value, itemClass: itemClass, secrets: reply.secrets),
                !known.contains(item.reference)
            else { continue }
            move(item)
        }
        let hidden = Int(count) - Set(known + values.compactMap(Self.reference)).count
        guard hidden > 0 else { return }
        left.append(
            Left(
                itemClass: itemClass, what: "\(MigratingItem.kind(itemClass, hidden)), not shown to this tool",
                why: "their programs demand a better assurance level than it has, or they cannot be read"))
    }

    private static func reference(_ value: PropertyValue) -> [UInt8]? {
        guard case .dictionary(let attributes) = value, case .data(let reference)? = attributes["v_PersistentRef"]
        else { return nil }
        return reference
    }

    private mutating func move(_ item: MigratingItem) {
        guard !item.isOfEnclave else {
            return leave(item, "its private half is in the enclave of its device, and leaves it never. Make a new key")
        }
        let reply = target.perform(item.adding, in: item.group)
        switch reply.code {
        case .success:
            if !item.isGuarded, case .data(let reference)? = reply.result, let dating = item.dating(reference) {
                // The item is there; its date is worth no failure.
                _ = target.perform(dating, in: item.group)
            }
            moved += 1
        case .duplicateItem where isPresent(item):
            present += 1
        case .duplicateItem:
            return leave(item, "the other device has an item of the same name with another secret")
        default:
            return leave(item, reply.refusal?.reason ?? ErrorTable.message(for: reply.code))
        }
        guard !keepsItems else { return }
        let deleted = source.perform(
            ItemRequest(
                operation: .delete, query: [QueryPair("v_PersistentRef", .data(item.reference))], wantsResult: false),
            in: Self.everything)
        if deleted.code != .success {
            leave(item, "it was copied, and could not be deleted here: \(ErrorTable.message(for: deleted.code))")
        }
    }

    /// Whether the other device has the very item: a former migration may have been cut short.
    private func isPresent(_ item: MigratingItem) -> Bool {
        guard let finding = item.finding else { return false }
        let reply = target.perform(finding, in: item.group)
        guard reply.code == .success else { return false }
        switch (item.secret, reply.secrets.first) {
        case (let mine?, let other?): return mine.equals(other)
        case (nil, nil): return true
        default: return false
        }
    }

    private mutating func leave(_ item: MigratingItem, _ why: String) {
        left.append(Left(itemClass: item.itemClass, what: item.description, why: PlainText.escaped(why)))
    }
}
