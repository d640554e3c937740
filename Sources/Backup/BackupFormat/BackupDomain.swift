/// The name of a domain: one that can be the name of a directory, so that no domain leads out of the folder that it is
/// restored into.
///
/// Two names are the same if their bytes are.
package struct BackupDomain: Hashable, Sendable {
    package let name: String

    /// The home directory: other readers know it by this name.
    package static let home: BackupDomain = "HomeDomain"
    /// The items.
    package static let keychain: BackupDomain = "KeychainDomain"

    /// Returns nil for a name that no directory can have, or that leads elsewhere.
    package init?(_ name: String) {
        guard BackupPath.isDomain(name) else { return nil }
        self.name = name
    }

    package func hash(into hasher: inout Hasher) {
        for byte in name.utf8 { hasher.combine(byte) }
    }

    package static func == (one: BackupDomain, other: BackupDomain) -> Bool {
        one.name.utf8.elementsEqual(other.name.utf8)
    }
}

extension BackupDomain: Comparable {
    package static func < (one: BackupDomain, other: BackupDomain) -> Bool {
        one.name.utf8.lexicographicallyPrecedes(other.name.utf8)
    }
}

extension BackupDomain: CustomStringConvertible {
    package var description: String { name }
}

extension BackupDomain: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) {
        precondition(BackupPath.isDomain(name), "a domain in the sources is valid")
        self.name = name
    }
}
