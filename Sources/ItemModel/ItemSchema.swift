package import PropertyListDER

/// One column of an item class (secitem-semantics 5.2 and 5.3).
package struct Attribute: Sendable {
    package let name: String
    package let kind: AttributeKind
    /// Part of the unique primary key.
    package let isPrimaryKey: Bool
    /// What an unset part of the primary key counts as; nil for parts whose absence is a value of its own.
    package let defaultValue: PropertyValue?
    /// Has a database index.
    package let isIndexed: Bool
    /// In the dictionary that a find returns.
    package let isReturned: Bool
    /// Only Apple's own programs may name it (-34018 for everybody else).
    package let isPrivate: Bool

    init(
        _ name: String, _ kind: AttributeKind, key: Bool = false, default value: PropertyValue? = nil,
        indexed: Bool = false, returned: Bool = true, private isPrivate: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.isPrimaryKey = key
        self.defaultValue = value
        self.isIndexed = indexed
        self.isReturned = returned
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

    private init(_ itemClass: ItemClass, _ attributes: [Attribute]) {
        self.itemClass = itemClass
        self.attributes = attributes
        self.primaryKey = attributes.filter(\.isPrimaryKey)
        self.byName = Dictionary(uniqueKeysWithValues: attributes.map { ($0.name, $0) })
    }

    package subscript(name: String) -> Attribute? { byName[name] }

    /// Nil for classes that have no rows here yet.
    package static func of(_ itemClass: ItemClass) -> ItemSchema? {
        switch itemClass {
        case .genericPassword: genericPassword
        case .internetPassword: internetPassword
        case .certificate, .key, .identity: nil
        }
    }

    package static let all = [genericPassword, internetPassword]

    package static let genericPassword = ItemSchema(
        .genericPassword,
        shared + [
            Attribute("alis", .blob),
            Attribute("acct", .blob, key: true, default: .string(""), indexed: true),
            Attribute("svce", .blob, key: true, default: .string(""), indexed: true),
            Attribute("gena", .blob),
        ])

    package static let internetPassword = ItemSchema(
        .internetPassword,
        shared + [
            Attribute("alis", .blob, indexed: true),
            Attribute("acct", .blob, key: true, default: .string(""), indexed: true),
            Attribute("sdmn", .blob, key: true, default: .string(""), indexed: true),
            Attribute("srvr", .blob, key: true, default: .string(""), indexed: true),
            Attribute("ptcl", .number, key: true, default: .integer(0), indexed: true),
            Attribute("atyp", .blob, key: true, default: .string(""), indexed: true),
            Attribute("port", .number, key: true, default: .integer(0), indexed: true),
            Attribute("path", .blob, key: true, default: .string(""), indexed: true),
        ])

    private static let shared = [
        Attribute("desc", .blob),
        Attribute("icmt", .blob),
        Attribute("crtr", .number),
        Attribute("type", .number, indexed: true),
        Attribute("scrp", .number),
        Attribute("labl", .blob),
        Attribute("invi", .number),
        Attribute("nega", .number),
        Attribute("cusi", .number),
        Attribute("prot", .blob),
        Attribute("sha1", .digest, indexed: true),
        Attribute("vwht", .string, key: true, indexed: true),
        Attribute("tkid", .string, key: true, indexed: true),
        Attribute("ggrp", .string, key: true, indexed: true, private: true),
        Attribute("sysb", .number, private: true),
        Attribute("pcss", .number, private: true),
        Attribute("pcsk", .blob, private: true),
        Attribute("pcsi", .blob, private: true),
    ]
}
