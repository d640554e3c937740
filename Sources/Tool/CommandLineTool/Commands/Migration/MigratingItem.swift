import LatchkeyAccessControl
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// An item on its way: what one device answered, and how the other one is asked to store it.
struct MigratingItem {
    let itemClass: String
    let attributes: [String: PropertyValue]
    let secret: SecretBox?
    let reference: [UInt8]

    /// Attributes that the device sets, or that the request names separately.
    private static let made: Set<AttributeName> = [
        .accessControl, .accessGroup, .creationDate, .modificationDate, .multiUser, .accessible, .digest,
        .synchronizable, .isSystemBound, .tokenID, .tokenOID, .tombstone,
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

    var group: String { text(.accessGroup) }
    /// A key that the enclave of its device holds: no other device can open it.
    var isOfEnclave: Bool { attributes[.tokenID] != nil }

    /// Rules that require authentication, as they were before they were bound to the fingers of the device.
    private var conditions: AccessControl? {
        guard let rules = attributes[.accessControl].flatMap({ AccessControl($0) }), rules.isConstrained else {
            return nil
        }
        return rules.marked(asBound: false)
    }

    var isGuarded: Bool { conditions != nil }

    private var isSynchronizable: Bool {
        switch attributes[.synchronizable] {
        case .integer(1)?, .boolean(true)?: true
        default: false
        }
    }

    /// The request that adds the item to the target.
    var adding: ItemRequest {
        var query = given.sorted { $0.key < $1.key }.map { QueryPair($0.key, $0.value) }
        query += place
        if let conditions {
            query.append(QueryPair(.accessControl, conditions.value))
        } else {
            query.append(QueryPair(.accessible, .string(text(.accessible))))
        }
        query.append(QueryPair("r_PersistentRef", .boolean(true)))
        if secret != nil { query.append(QueryPair("v_Data", .secret(0))) }
        return ItemRequest(operation: .add, query: query, wantsResult: true, secrets: secret.map { [$0] } ?? [])
    }

    /// Finds the items with the same name on the other device. A person is asked only where this item asks for one.
    var finding: ItemRequest {
        let names = primaryKey.sorted { $0.key < $1.key }.map { QueryPair($0.key, $0.value) }
        let silence = isGuarded ? [] : [QueryPair.skipsAsking]
        return ItemRequest(
            operation: .find,
            query: names + place + [QueryPair("m_Limit", .string("m_LimitAll"))] + QueryPair.wholeItem + silence,
            wantsResult: true)
    }

    /// Returns true if a device has room for only one of the two.
    func hasName(of other: MigratingItem) -> Bool { primaryKey == other.primaryKey }

    /// The differences of an item of the same name from this one, if this one were added; nil if there are none.
    func difference(from other: MigratingItem) -> String? {
        let differences = [
            hasSecret(of: other) ? nil : "another secret",
            conditions == other.conditions && text(.accessible) == other.text(.accessible)
                ? nil : "another protection class or other conditions",
            given == other.given ? nil : "other attributes",
        ].compactMap { $0 }
        return differences.isEmpty ? nil : differences.joined(separator: ", ")
    }

    private func hasSecret(of other: MigratingItem) -> Bool {
        switch (secret, other.secret) {
        case (let mine?, let its?): mine.equals(its)
        case (nil, nil): true
        default: false
        }
    }

    func isOlder(than other: MigratingItem) -> Bool {
        guard case .date(let mine)? = attributes[.creationDate], case .date(let its)? = other.attributes[.creationDate]
        else {
            return false
        }
        return mine < its
    }

    /// The date of creation, which an update may set and an add may not.
    func dating(_ reference: [UInt8]) -> ItemRequest? {
        guard case .date? = attributes[.creationDate], let date = attributes[.creationDate] else { return nil }
        return ItemRequest(
            operation: .update, query: [QueryPair("v_PersistentRef", .data(reference))],
            changes: [QueryPair(.creationDate, date)], wantsResult: false)
    }

    private var given: [String: PropertyValue] {
        attributes.filter { key, _ in AttributeName(column: key).map { !Self.made.contains($0) } ?? false }
    }

    private var primaryKey: [String: PropertyValue] {
        let schema = ItemSchema.all.first { $0.itemClass.rawValue == itemClass }
        let names = Set((schema?.primaryKey ?? []).map(\.name))
        return attributes.filter { key, _ in AttributeName(column: key).map { names.contains($0) } ?? false }
    }

    private var place: [QueryPair] {
        [
            QueryPair("class", .string(itemClass)), QueryPair(.accessGroup, .string(group)),
            QueryPair(.synchronizable, .boolean(isSynchronizable)),
        ]
    }

    private static let kinds = [
        "genp": "generic password", "inet": "internet password", "cert": "certificate", "keys": "key",
    ]

    /// For people: so many items of a class.
    static func kind(_ itemClass: String, _ count: Int) -> String {
        ItemCount.text(count, kinds[itemClass] ?? itemClass)
    }

    /// The kind of the item, and its name. Not escaped.
    var description: String {
        let naming: [AttributeName] = [.label, .service, .server, .account]
        let names = naming.map { text($0) }.filter { !$0.isEmpty }
        let distinct = names.reduce(into: [String]()) { list, name in if !list.contains(name) { list.append(name) } }
        let name = distinct.prefix(3).joined(separator: ", ")
        return "\(Self.kinds[itemClass] ?? itemClass) \(name.isEmpty ? "(without a name)" : name)"
    }

    private func text(_ name: AttributeName) -> String {
        if case .string(let text)? = attributes[name] { text } else { "" }
    }
}
