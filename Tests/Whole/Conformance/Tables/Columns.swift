import Foundation
import Security
import Testing

/// A column that apps may set, as section 5 of the keychain reference lists it.
struct Column: Sendable {
    enum Kind: Sendable {
        case blob, number, string, data, date
    }

    let name: String
    let kind: Kind
    /// Part of the primary key of its class.
    let isKey: Bool

    init(_ name: String, _ kind: Kind, key: Bool = false) {
        self.name = name
        self.kind = kind
        self.isKey = key
    }

    var key: CFString { name as CFString }

    /// Two values that differ.
    var values: (Any, Any) {
        switch kind {
        case .blob, .string: ("one", "two")
        case .number: (1, 2)
        case .data: (Data("one".utf8), Data("two".utf8))
        case .date: (Date(timeIntervalSinceReferenceDate: 1), Date(timeIntervalSinceReferenceDate: 2))
        }
    }

    static func all(of itemClass: RowClass) -> [Column] {
        switch itemClass {
        case .generic: shared + password + generic
        case .internet: shared + password + internet
        case .key: shared + keys
        case .certificate: shared + certificate
        case .identity: []
        }
    }

    private static let shared = [
        Column("labl", .blob), Column("alis", .blob), Column("vwht", .string, key: true),
    ]
    private static let password = [
        Column("desc", .blob), Column("icmt", .blob), Column("prot", .blob), Column("acct", .blob, key: true),
        Column("crtr", .number), Column("type", .number), Column("scrp", .number), Column("invi", .number),
        Column("nega", .number), Column("cusi", .number),
    ]
    private static let keys =
        ["kcls", "crtr", "type", "bsiz", "esiz"].map { Column($0, .number, key: true) }
        + [
            "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy", "snrc",
            "vyrc", "wrap", "unwp",
        ].map { Column($0, .number) }
        + [
            Column("klbl", .data, key: true), Column("atag", .blob, key: true), Column("sdat", .date, key: true),
            Column("edat", .date, key: true),
        ]
    private static let certificate = [
        Column("ctyp", .number, key: true), Column("cenc", .number), Column("subj", .data),
        Column("issr", .data, key: true), Column("slnr", .data, key: true), Column("skid", .data),
        Column("pkhh", .data),
    ]
    private static let generic = [Column("svce", .blob, key: true), Column("gena", .blob)]
    private static let internet = [
        Column("sdmn", .blob, key: true), Column("srvr", .blob, key: true), Column("atyp", .blob, key: true),
        Column("path", .blob, key: true), Column("ptcl", .number, key: true), Column("port", .number, key: true),
    ]
}
