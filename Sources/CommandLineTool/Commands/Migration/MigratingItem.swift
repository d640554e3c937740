import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPlainText
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// An item on its way: what one device answered, and how the other one is asked to store it.
struct MigratingItem {
    let itemClass: String
    let attributes: [String: PropertyValue]
    let secret: SecretBox?
    let reference: [UInt8]

    /// What a device makes itself, or what is said in other words.
    private static let made: Set<String> = [
        "accc", "agrp", "cdat", "class", "mdat", "musr", "pdmn", "sha1", "sync", "sysb", "tkid", "toid", "tomb",
        "v_Data",
        "v_PersistentRef",
    ]

    /// Nil for an entry that is not an item with its reference.
    init?(_ value: PropertyValue, itemClass: String, secrets: [SecretBox]) {
        guard case .dictionary(let attributes) = value, case .data(let reference)? = attributes["v_PersistentRef"]
        else { return nil }
        self.itemClass = itemClass
        self.attributes = attributes
        self.reference = reference
        if case .secret(let index)? = attributes["v_Data"], secrets.indices.contains(index) {
            secret = secrets[index]
        } else {
            secret = nil
        }
    }

    var group: String { text("agrp") }
    /// A key that the enclave of its device holds: no other device can open it.
    var isOfEnclave: Bool { attributes["tkid"] != nil }

    /// Rules that ask for a person, as they were before they were bound to the fingers of the device.
    private var conditions: AccessControl? {
        guard case .reference(_, let bytes)? = attributes["accc"], let rules = try? AccessControl(serialised: bytes),
            rules.isConstrained
        else { return nil }
        return try? AccessControl(protection: rules.protection, flags: rules.flags)
    }

    var isGuarded: Bool { conditions != nil }

    private var isSynchronizable: Bool {
        switch attributes["sync"] {
        case .integer(1)?, .boolean(true)?: true
        default: false
        }
    }

    /// What the item says of itself; its protection, group and secret beside it.
    var adding: ItemRequest {
        var query = attributes.filter { !Self.made.contains($0.key) }.sorted { $0.key < $1.key }
            .map { QueryPair($0.key, $0.value) }
        query += place
        if let conditions {
            query.append(QueryPair("accc", .reference(kind: "SecAccessControl", bytes: conditions.serialised)))
        } else {
            query.append(QueryPair("pdmn", .string(text("pdmn"))))
        }
        query.append(QueryPair("r_PersistentRef", .boolean(true)))
        if secret != nil { query.append(QueryPair("v_Data", .secret(0))) }
        return ItemRequest(operation: .add, query: query, wantsResult: true, secrets: secret.map { [$0] } ?? [])
    }

    /// Finds the item that has the same name on the other device.
    var finding: ItemRequest? {
        guard let schema = ItemSchema.all.first(where: { $0.itemClass.rawValue == itemClass }) else { return nil }
        let names = schema.primaryKey.compactMap { part in
            attributes[part.name].map { QueryPair(part.name, $0) }
        }
        return ItemRequest(
            operation: .find,
            query: names + place + [
                QueryPair("r_Data", .boolean(true)), QueryPair("u_AuthUI", .string("u_AuthUIS")),
            ], wantsResult: true)
    }

    /// The date of creation, which an update may set and an add may not.
    func dating(_ reference: [UInt8]) -> ItemRequest? {
        guard case .date? = attributes["cdat"], let date = attributes["cdat"] else { return nil }
        return ItemRequest(
            operation: .update, query: [QueryPair("v_PersistentRef", .data(reference))],
            changes: [QueryPair("cdat", date)], wantsResult: false)
    }

    private var place: [QueryPair] {
        [
            QueryPair("class", .string(itemClass)), QueryPair("agrp", .string(group)),
            QueryPair("sync", .boolean(isSynchronizable)),
        ]
    }

    private static let kinds = [
        "genp": "generic password", "inet": "internet password", "cert": "certificate", "keys": "key",
    ]

    /// For people: so many items of a class.
    static func kind(_ itemClass: String, _ count: Int) -> String {
        "\(count) \(kinds[itemClass] ?? itemClass)\(count == 1 ? "" : "s")"
    }

    /// For people: what kind of item, and what it is for.
    var description: String {
        let names = ["labl", "svce", "srvr", "acct"].map { text($0) }.filter { !$0.isEmpty }
        let distinct = names.reduce(into: [String]()) { list, name in if !list.contains(name) { list.append(name) } }
        let name = distinct.prefix(3).map { PlainText.escaped($0) }.joined(separator: ", ")
        return "\(Self.kinds[itemClass] ?? itemClass) \(name.isEmpty ? "(without a name)" : name)"
    }

    private func text(_ key: String) -> String {
        if case .string(let text)? = attributes[key] { text } else { "" }
    }
}
