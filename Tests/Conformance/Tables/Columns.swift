import Foundation
import Security
import Testing

/// A column that apps may set, as section 5 of the keychain reference lists it.
struct Column: Sendable {
    enum Kind: Sendable {
        case blob, number, string
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
        }
    }

    static func all(of itemClass: PasswordClass) -> [Column] {
        shared + (itemClass == .generic ? generic : internet)
    }

    private static let shared = [
        Column("desc", .blob), Column("icmt", .blob), Column("labl", .blob), Column("alis", .blob),
        Column("prot", .blob), Column("acct", .blob, key: true),
        Column("crtr", .number), Column("type", .number), Column("scrp", .number), Column("invi", .number),
        Column("nega", .number), Column("cusi", .number), Column("vwht", .string, key: true),
    ]
    private static let generic = [Column("svce", .blob, key: true), Column("gena", .blob)]
    private static let internet = [
        Column("sdmn", .blob, key: true), Column("srvr", .blob, key: true), Column("atyp", .blob, key: true),
        Column("path", .blob, key: true), Column("ptcl", .number, key: true), Column("port", .number, key: true),
    ]
}
