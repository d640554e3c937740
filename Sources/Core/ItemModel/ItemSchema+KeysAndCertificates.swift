import LatchkeyPropertyListDER

extension ItemSchema {
    /// secitem-semantics 5.4.
    package static let certificate = ItemSchema(
        .certificate,
        [
            Attribute("ctyp", .number, key: true, default: .integer(0)),
            Attribute("cenc", .number),
            Attribute("labl", .blob),
            Attribute("alis", .blob),
            Attribute("subj", .data),
            Attribute("issr", .data, key: true, default: .data([])),
            Attribute("slnr", .data, key: true, default: .data([])),
            Attribute("skid", .data),
            Attribute("pkhh", .data),
        ] + ofEveryClass)

    /// secitem-semantics 5.5. `toid`, the object of a token, is no column: it is in the row's data.
    package static let key = ItemSchema(
        .key,
        [
            Attribute("kcls", .number, key: true, default: .integer(0)),
            Attribute("labl", .blob),
            Attribute("alis", .blob),
            Attribute("perm", .number),
            Attribute("priv", .number),
            Attribute("modi", .number),
            Attribute("klbl", .data, key: true, default: .data([])),
            Attribute("atag", .blob, key: true, default: .string("")),
            Attribute("crtr", .number, key: true, default: .integer(0)),
            Attribute("type", .number, key: true, default: .integer(0)),
            Attribute("bsiz", .number, key: true, default: .integer(0)),
            Attribute("esiz", .number, key: true, default: .integer(0)),
            Attribute("sdat", .date, key: true, default: .date(0)),
            Attribute("edat", .date, key: true, default: .date(0)),
        ] + flagsOfKeys.map { Attribute($0, .number) } + ofEveryClass)

    /// What is known of a key's secrecy, and what it may do.
    private static let flagsOfKeys = [
        "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc", "vyrc", "wrap", "unwp",
    ]

    /// The certificate's part of an identity: these alone, and what only certificates have (secitem-semantics 5.6).
    private static let certificateSide: Set<String> = ["labl", "issr", "slnr", "skid", "tkid"]

    /// The class whose rows an attribute of a query of `itemClass` is about: for identities one of two, else the class
    /// itself. Nil for an attribute that the class does not have.
    static func home(of attribute: String, in itemClass: ItemClass) -> (itemClass: ItemClass, attribute: Attribute)? {
        if itemClass == .identity {
            if !certificateSide.contains(attribute), let found = key[attribute] { return (.key, found) }
            return certificate[attribute].map { (.certificate, $0) }
        }
        return of(itemClass)?[attribute].map { (itemClass, $0) }
    }
}
