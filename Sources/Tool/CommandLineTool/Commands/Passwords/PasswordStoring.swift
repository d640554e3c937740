package import LatchkeyItemModel
package import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Adds one password, or replaces the one that is there.
package struct PasswordStoring {
    package let device: DeviceAccess
    package let itemClass: String
    /// Every attribute that identifies the item, also those with their default value.
    package let primaryKey: [QueryPair]
    package let attributes: [QueryPair]
    package let isSynchronizable: Bool
    package let owner: OwnerAuthority?

    package init(
        device: DeviceAccess, itemClass: String, primaryKey: [QueryPair], attributes: [QueryPair],
        isSynchronizable: Bool, owner: OwnerAuthority?
    ) {
        self.device = device
        self.itemClass = itemClass
        self.primaryKey = primaryKey
        self.attributes = attributes
        self.isSynchronizable = isSynchronizable
        self.owner = owner
    }

    package enum Outcome: Sendable {
        case added
        case replaced
    }

    /// Returns the access group that the item got; nil if it cannot be found.
    func storedGroup() -> String? {
        let search = ItemRequest(
            operation: .find,
            query: [QueryPair("class", .string(itemClass)), QueryPair(.synchronizable, .boolean(isSynchronizable))]
                + primaryKey + [
                    QueryPair("m_Limit", .string("m_LimitOne")), QueryPair("r_Attributes", .boolean(true)),
                    .skipsAsking,
                ], wantsResult: true, owner: owner)
        guard case .dictionary(let found)? = device.call(search).result,
            case .string(let group)? = found[AttributeName.accessGroup.rawValue]
        else { return nil }
        return group
    }

    /// - Parameter replacing: whether an item with the same primary key gets the new secret and attributes.
    package func store(_ secret: SecretBox, replacing: Bool) throws(CommandFailure) -> Outcome {
        let value = QueryPair("v_Data", .secret(0))
        let start = [QueryPair("class", .string(itemClass)), QueryPair(.synchronizable, .boolean(isSynchronizable))]
        let add = ItemRequest(
            operation: .add, query: start + attributes + [value], wantsResult: false, secrets: [secret], owner: owner)
        let reply = device.call(add)
        guard reply.code == .duplicateItem, replacing else {
            guard reply.code == .success else { throw CommandFailure(reply) }
            return .added
        }
        let identifying = Set(primaryKey.map(\.key) + [.string(AttributeName.accessGroup.rawValue)])
        let group = attributes.filter { $0.name == .accessGroup }
        let update = ItemRequest(
            operation: .update, query: start + primaryKey + group,
            changes: attributes.filter { !identifying.contains($0.key) } + [value], wantsResult: false,
            secrets: [secret], owner: owner)
        let updated = device.call(update)
        // Another program deleted the item in between: then it can be added after all.
        if updated.code == .itemNotFound {
            _ = try device.perform(add)
            return .added
        }
        guard updated.code == .success else { throw CommandFailure(updated) }
        return .replaced
    }
}
