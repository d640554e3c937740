package import LatchkeyPropertyListDER

/// One column of an item class (Reference 5.2 to 5.5). Finds and adds return every column that is set.
package struct Attribute: Sendable {
    package let name: AttributeName
    package let kind: AttributeKind
    /// Part of the unique primary key.
    package let isPrimaryKey: Bool
    /// The value assumed when this part of the primary key is not set; nil if absence is distinct from every value.
    package let defaultValue: PropertyValue?
    /// True if only Apple's own programs may name it; other callers get -34018.
    package let isPrivate: Bool
    /// True if its rows have a search token, so that the database finds them without a key. The value of an attribute
    /// with a token can be guessed by an attacker who has the files: none that depends on a secret may have one.
    package let hasToken: Bool

    init(
        _ name: AttributeName, _ kind: AttributeKind, key: Bool = false, default value: PropertyValue? = nil,
        private isPrivate: Bool = false, hasToken: Bool = true
    ) {
        self.name = name
        self.kind = kind
        self.isPrimaryKey = key
        self.defaultValue = value
        self.isPrivate = isPrivate
        self.hasToken = hasToken
    }
}

/// The attributes of a class that are encrypted, most of them found by search token. Protection class, access group,
/// synchronizability, tombstone mark and dates have their own rules, because the database stores them in clear.
package struct ItemSchema: Sendable {
    package let itemClass: ItemClass
    package let attributes: [Attribute]
    package let primaryKey: [Attribute]
    /// The attributes that have a search token.
    package let searchable: [AttributeName]
    private let byName: [AttributeName: Attribute]

    init(_ itemClass: ItemClass, _ attributes: [Attribute]) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.primaryKey = attributes.filter(\.isPrimaryKey)
        self.searchable = attributes.filter(\.hasToken).map(\.name)
        self.byName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }

    package subscript(name: AttributeName) -> Attribute? { byName[name] }

    /// Returns nil for identities, which have no rows of their own.
    package static func of(_ itemClass: ItemClass) -> ItemSchema? {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate: certificate
        case .key: key
        case .identity: nil
        }
    }

    package static let all = [genericPassword, internetPassword, certificate, key]

    package static let genericPassword = ItemSchema(
        .genericPassword,
        ofPasswords + ofEveryClass + [
            Attribute(.alias, .blob),
            Attribute(.account, .blob, key: true, default: .string("")),
            Attribute(.service, .blob, key: true, default: .string("")),
            Attribute(.generic, .blob),
        ])

    package static let internetPassword = ItemSchema(
        .internetPassword,
        ofPasswords + ofEveryClass + [
            Attribute(.alias, .blob),
            Attribute(.account, .blob, key: true, default: .string("")),
            Attribute(.securityDomain, .blob, key: true, default: .string("")),
            Attribute(.server, .blob, key: true, default: .string("")),
            Attribute(.protocol, .number, key: true, default: .integer(0)),
            Attribute(.authenticationType, .blob, key: true, default: .string("")),
            Attribute(.port, .number, key: true, default: .integer(0)),
            Attribute(.path, .blob, key: true, default: .string("")),
        ])

    private static let ofPasswords = [
        Attribute(.description, .blob),
        Attribute(.comment, .blob, hasToken: false),
        Attribute(.creator, .number),
        Attribute(.type, .number),
        Attribute(.scriptCode, .number),
        Attribute(.label, .blob),
        Attribute(.isInvisible, .number),
        Attribute(.isNegative, .number),
        Attribute(.hasCustomIcon, .number),
        Attribute(.protected, .blob),
    ]

    static let ofEveryClass = [
        Attribute(.digest, .digest, hasToken: false),
        Attribute(.syncViewHint, .string, key: true),
        Attribute(.tokenID, .string, key: true),
        Attribute(.sharingGroup, .string, key: true, private: true),
        Attribute(.isSystemBound, .number, private: true),
        Attribute(.pcsServiceIdentifier, .number, private: true),
        Attribute(.pcsPublicKey, .blob, private: true),
        Attribute(.pcsPublicIdentity, .blob, private: true),
    ]
}
