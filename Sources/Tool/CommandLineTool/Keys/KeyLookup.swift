import LatchkeyAsymmetricKeys
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// Finds keys by their attributes.
struct KeyLookup {
    let device: DeviceAccess
    let owner: OwnerAuthority?
    let asking: AskingOptions?

    init(
        _ device: DeviceAccess, _ group: GroupOption, _ asking: AskingOptions? = nil, _ common: CommonOptions
    ) throws(CommandFailure) {
        self.device = device
        self.asking = asking
        owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
    }

    /// Every key that fits, private or public.
    func all(_ pairs: [QueryPair], keyClass: Int64?) throws(CommandFailure) -> [StoredKey] {
        var query = [
            QueryPair("class", .string("keys")), QueryPair(.synchronizable, .string("syna")),
            QueryPair("m_Limit", .string("m_LimitAll")), QueryPair("r_Attributes", .boolean(true)),
            QueryPair("r_Ref", .boolean(true)),
        ]
        query += pairs + (asking?.pairs() ?? [])
        if let keyClass { query.append(QueryPair(.keyClass, .integer(keyClass))) }
        let reply = device.call(ItemRequest(operation: .find, query: query, wantsResult: true, owner: owner))
        if reply.code == .itemNotFound { return [] }
        guard reply.code == .success else { throw CommandFailure(reply) }
        var keys: [StoredKey] = []
        for attributes in reply.items {
            keys.append(
                try StoredKey(attributes, secrets: reply.secrets, device: device, interaction: asking?.interaction))
        }
        return keys
    }

    /// The one private key that fits.
    func privateKey(_ pairs: [QueryPair]) throws(CommandFailure) -> StoredKey {
        try Self.one(all(pairs, keyClass: KeyAttributes.privateClass))
    }

    /// The one key that fits, for its public half: a stored public key is preferred, because it needs no prompt.
    func publicKey(_ pairs: [QueryPair]) throws(CommandFailure) -> PublicKey {
        let stored = try all(pairs, keyClass: KeyAttributes.publicClass)
        guard stored.isEmpty else { return try Self.one(stored).publicKey() }
        return try Self.one(all(pairs, keyClass: KeyAttributes.privateClass)).publicKey()
    }

    /// Several items may hold the same key.
    private static func one(_ keys: [StoredKey]) throws(CommandFailure) -> StoredKey {
        guard let key = keys.first else {
            throw CommandFailure(
                .itemNotFound, "There is no such key.", why: "Nothing in this group has the label, tag and id given.",
                advice: "`latchkey key list` shows the keys; those of other programs need --access-group.",
                code: .itemNotFound)
        }
        let distinct = Set(keys.map(\.identifier))
        guard distinct.count == 1 else {
            throw CommandFailure(
                .ambiguousItem, "\(distinct.count) keys fit, and none was used.",
                advice: "Name one with --id; `latchkey key list` shows it.")
        }
        return key
    }
}

extension ItemReply {
    /// The dictionaries of an answer that is one or a list of them.
    var items: [[String: PropertyValue]] {
        let values: [PropertyValue] =
            switch result {
            case .array(let values)?: values
            case let value?: [value]
            case nil: []
            }
        return values.compactMap { value in
            if case .dictionary(let attributes) = value { attributes } else { nil }
        }
    }
}

extension AskingOptions {
    /// The prompt for the use of a key.
    var interaction: Interaction? {
        guard noPrompt || prompt != nil else { return nil }
        return Interaction(isAllowed: !noPrompt, reason: prompt ?? "")
    }
}
