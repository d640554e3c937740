package import LatchkeyBackupFormat

/// A folder of this machine that belongs to backups: the root of a domain, or a part of it.
package struct BackupSource: Hashable, Sendable {
    /// The domain of the home directory: other readers know it by this name.
    package static let home = BackupDomain.home
    /// The domain of the items, which no folder can have.
    package static let keychain = BackupDomain.keychain

    package let domain: BackupDomain
    /// The directory that is the root of the domain: absolute, without links.
    package let root: String
    /// The part of the root that is backed up, without slashes at its ends; empty for all of it.
    package let part: String

    /// Returns nil if the domain has no name that a backup can have.
    package init?(domain: String, root: String, part: String = "") {
        guard let domain = BackupDomain(domain) else { return nil }
        self.init(domain: domain, root: root, part: part)
    }

    package init?(domain: BackupDomain, root: String, part: String = "") {
        guard Self.isName(domain), root.utf8.first == UInt8(ascii: "/"),
            part.isEmpty
                || !part.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).contains(
                    where: { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else { return nil }
        self.domain = domain
        self.root = root
        self.part = part
    }

    /// True if a folder can have the domain: a name without blanks that is not that of the items.
    private static func isName(_ domain: BackupDomain) -> Bool {
        domain != keychain && !domain.name.utf8.contains(UInt8(ascii: " "))
    }

    /// The directory or file that is backed up.
    package var path: String { part.isEmpty ? root : root + (root == "/" ? "" : "/") + part }

    /// True if everything of the other source is a part of this one.
    package func holds(_ other: BackupSource) -> Bool {
        domain == other.domain && root == other.root
            && (part.isEmpty || other.part == part || other.part.utf8.starts(with: (part + "/").utf8))
    }
}

extension [BackupSource] {
    /// The sources without those that are parts of others, in the order of their domains and paths. Nothing is backed up
    /// twice then.
    ///
    /// The home directory comes first. On a phone the directories of apps lie in it, and a reader that builds the phone's tree
    /// row by row (dissect.target) loses what it has put there before.
    package var withoutRepetition: [BackupSource] {
        let unique = Array(Set(self))
        return unique.filter { one in !unique.contains { $0 != one && $0.holds(one) } }.sorted { one, other in
            let isHome = one.domain == BackupSource.home
            guard isHome == (other.domain == BackupSource.home) else { return isHome }
            return (one.domain, one.part) < (other.domain, other.part)
        }
    }

    /// A domain that is said to have two roots; nil if each has one.
    package var contradiction: BackupDomain? {
        var roots: [BackupDomain: String] = [:]
        for source in self {
            if let known = roots[source.domain], known != source.root { return source.domain }
            roots[source.domain] = source.root
        }
        return nil
    }
}
