package import LatchkeyPropertyListDER

/// One column of an item class (secitem-semantics 5.2 to 5.5). Finds and adds return every column that is set.
package struct Attribute: Sendable {
    package let name: String
    package let kind: AttributeKind
    /// Part of the unique primary key.
    package let isPrimaryKey: Bool
    /// What an unset part of the primary key counts as; nil for parts whose absence is a value of its own.
    package let defaultValue: PropertyValue?
    /// Only Apple's own programs may name it (-34018 for everybody else).
    package let isPrivate: Bool

    init(
        _ name: String, _ kind: AttributeKind, key: Bool = false, default value: PropertyValue? = nil,
        private isPrivate: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.isPrimaryKey = key
        self.defaultValue = value
        self.isPrivate = isPrivate
    }
}

/// The attributes of a class that are encrypted and searched by token. Protection class, access group,
/// synchronizability, tombstone mark and dates are handled by name, because the database keeps them in clear.
package struct ItemSchema: Sendable {
    package let itemClass: ItemClass
    package let attributes: [Attribute]
    package let primaryKey: [Attribute]
    private let byName: [String: Attribute]

    init(_ itemClass: ItemClass, _ attributes: [Attribute]) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.primaryKey = attributes.filter(\.isPrimaryKey)
        self.byName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }

    package subscript(name: String) -> Attribute? { byName[name] }

    /// Nil for identities, which are a certificate and its key and have no rows of their own.
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
            Attribute("alis", .blob),
            Attribute("acct", .blob, key: true, default: .string("")),
            Attribute("svce", .blob, key: true, default: .string("")),
            Attribute("gena", .blob),
        ])

    package static let internetPassword = ItemSchema(
        .internetPassword,
        ofPasswords + ofEveryClass + [
            Attribute("alis", .blob),
            Attribute("acct", .blob, key: true, default: .string("")),
            Attribute("sdmn", .blob, key: true, default: .string("")),
            Attribute("srvr", .blob, key: true, default: .string("")),
            Attribute("ptcl", .number, key: true, default: .integer(0)),
            Attribute("atyp", .blob, key: true, default: .string("")),
            Attribute("port", .number, key: true, default: .integer(0)),
            Attribute("path", .blob, key: true, default: .string("")),
        ])

    private static let ofPasswords = [
        Attribute("desc", .blob),
        Attribute("icmt", .blob),
        Attribute("crtr", .number),
        Attribute("type", .number),
        Attribute("scrp", .number),
        Attribute("labl", .blob),
        Attribute("invi", .number),
        Attribute("nega", .number),
        Attribute("cusi", .number),
        Attribute("prot", .blob),
    ]

    static let ofEveryClass = [
        Attribute("sha1", .digest),
        Attribute("vwht", .string, key: true),
        Attribute("tkid", .string, key: true),
        Attribute("ggrp", .string, key: true, private: true),
        Attribute("sysb", .number, private: true),
        Attribute("pcss", .number, private: true),
        Attribute("pcsk", .blob, private: true),
        Attribute("pcsi", .blob, private: true),
    ]
}
