/// The access group of the device owner's own items. The owner's tool uses it, wherever its file is.
package enum OwnersGroup {
    /// Entitlements cannot grant this group: they name groups of a team, or groups that begin with `group.`.
    package static let name = "org.latchkey.owner"
    /// The file name of the owner's tool.
    package static let toolName = "latchkey"
    /// The advice when the tool was moved or removed while the daemon was running: the daemon knows the old path only.
    package static let restartAdvice =
        "Restart the daemon, so that the latchkey beside it is the tool: latchkey doctor says how."

    /// True if the group is the private group of a program with the tool's name. A copy of the tool at another path, or
    /// a version that was identified by its path, stores the owner's items there. A program without a known path is
    /// never the tool, because it can choose any name.
    package static func isFormerHome(_ group: String) -> Bool {
        guard let home = PrivateGroup(group) else { return false }
        return home.program == toolName && !home.isElsewhere
    }
}

/// The parts of an unsigned program's private group: `unsigned.NAME.FINGERPRINT`, or
/// `unsigned.elsewhere.NAME.FINGERPRINT` for a program whose path has no meaning for the daemon. If the name of a
/// program at a known path begins with `elsewhere.`, that part is written `elsewhere%2E`; `elsewhere%` is written
/// `elsewhere%25`.
package struct PrivateGroup: Sendable, Hashable {
    /// The file name of the program.
    package let program: String
    /// True for a program that the daemon knows only by its file, for instance in a container.
    package let isElsewhere: Bool

    package static let prefix = "unsigned."
    private static let elsewhere = "elsewhere."
    /// Beginnings of names and their escaped forms.
    private static let escapes = [("elsewhere.", "elsewhere%2E"), ("elsewhere%", "elsewhere%25")]
    private static let fingerprintDigits = 20

    /// Returns nil if the group is not a private group.
    package init?(_ group: String) {
        guard group.hasPrefix(Self.prefix), let dot = group.lastIndex(of: ".") else { return nil }
        let fingerprint = group[group.index(after: dot)...]
        guard fingerprint.utf8.count == Self.fingerprintDigits,
            fingerprint.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        var name = group[..<dot].dropFirst(Self.prefix.count)
        isElsewhere = name.utf8.starts(with: Self.elsewhere.utf8)
        if isElsewhere { name = Substring(name.utf8.dropFirst(Self.elsewhere.utf8.count)) }
        guard !name.isEmpty else { return nil }
        program = isElsewhere ? String(name) : Self.replaced(String(name), Self.escapes.map { ($1, $0) })
    }

    /// Returns the group and, if it differs, the name the group had before names were escaped; the program's items may
    /// still be stored under that name. No other program has the former name: its fingerprint is derived from this
    /// program's path, and fingerprints of programs without a known path are derived from other data.
    package static func spellings(of group: String) -> [String] {
        guard group.utf8.starts(with: prefix.utf8) else { return [group] }
        let name = String(Substring(group.utf8.dropFirst(prefix.utf8.count)))
        let former = replaced(name, escapes.map { ($1, $0) })
        return former == name ? [group] : [group, prefix + former]
    }

    /// Returns the name of a program at a known path in the form that its group has. A name that begins with the mark
    /// of the other kind of group is escaped, and so is the escape sign itself. The mapping is therefore one-to-one.
    package static func spelled(_ program: String) -> String { replaced(program, escapes) }

    /// Compares bytes: a combining mark after the dot would make a text comparison fail.
    private static func replaced(_ name: String, _ beginnings: [(String, String)]) -> String {
        for (old, new) in beginnings where name.utf8.starts(with: old.utf8) {
            return new + String(Substring(name.utf8.dropFirst(old.utf8.count)))
        }
        return name
    }

    /// Returns the prefixes of the private groups that programs with this name have.
    package static func prefixes(ofProgram name: String) -> [String] {
        [prefix + replaced(name, escapes) + ".", prefix + elsewhere + name + "."]
    }
}
