/// The access group of the device owner's own items: the one that the owner's tool uses, wherever its file lies.
package enum OwnersGroup {
    /// No program gets it from its entitlements: those name groups of a team, or ones that begin with `group.`.
    package static let name = "org.latchkey.owner"
    /// The file name of the owner's tool.
    package static let toolName = "latchkey"
    /// What to do where the tool was moved or removed under a running daemon, which knows the old path only.
    package static let restartAdvice =
        "Restart the daemon, so that the latchkey beside it is the tool: latchkey doctor says how."

    /// Whether a group is the private group of a program with the tool's name. A tool in another place, or of a version
    /// that was known by its path, keeps the owner's items there. A program
    /// whose path means nothing is never such a tool: it can give itself any name.
    package static func isFormerHome(_ group: String) -> Bool {
        guard let home = PrivateGroup(group) else { return false }
        return home.program == toolName && !home.isElsewhere
    }
}

/// The name of the group that an unsigned program has to itself, in its parts: `unsigned.NAME.FINGERPRINT`, or
/// `unsigned.elsewhere.NAME.FINGERPRINT` for a program whose path means nothing to the daemon. A program at a known path
/// whose name begins with `elsewhere.` has `elsewhere%2E` there instead, and one whose name begins with `elsewhere%` has
/// `elsewhere%25`.
package struct PrivateGroup: Sendable, Hashable {
    /// The file name of the program.
    package let program: String
    /// True for a program that the daemon knows by its file alone, in a container for instance.
    package let isElsewhere: Bool

    package static let prefix = "unsigned."
    private static let elsewhere = "elsewhere."
    /// Beginnings of names, and how they are spelled.
    private static let escapes = [("elsewhere.", "elsewhere%2E"), ("elsewhere%", "elsewhere%25")]
    private static let fingerprintDigits = 20

    /// Nil for a group of another kind.
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

    /// The group, and the name that it had before names were escaped, under which the program's items may still be. No
    /// other program has that one: its fingerprint is of this program's path, and that of a program whose path means
    /// nothing is made of something else.
    package static func spellings(of group: String) -> [String] {
        guard group.utf8.starts(with: prefix.utf8) else { return [group] }
        let name = String(Substring(group.utf8.dropFirst(prefix.utf8.count)))
        let former = replaced(name, escapes.map { ($1, $0) })
        return former == name ? [group] : [group, prefix + former]
    }

    /// The name of a program at a known path as its group has it. It may be called like the mark of the other kind of
    /// group: the character behind the word is escaped then, and so is the sign of the escape, so that each name has one
    /// spelling and each spelling one name.
    package static func spelled(_ program: String) -> String { replaced(program, escapes) }

    /// At bytes: a combining mark behind the dot would hide it from a comparison of texts.
    private static func replaced(_ name: String, _ beginnings: [(String, String)]) -> String {
        for (old, new) in beginnings where name.utf8.starts(with: old.utf8) {
            return new + String(Substring(name.utf8.dropFirst(old.utf8.count)))
        }
        return name
    }

    /// The beginnings of the names of the private groups that programs of a name have.
    package static func prefixes(ofProgram name: String) -> [String] {
        [prefix + replaced(name, escapes) + ".", prefix + elsewhere + name + "."]
    }
}
