/// The access groups whose items a circle of devices shares.
package enum SharedGroups {
    private static let teamCharacterCount = 10

    /// Returns true for groups that mean the same on every device: those of a team, and application groups.
    /// - Parameter allowed: other groups that the circle shares.
    package static func include(_ group: String, allowed: some Sequence<String>) -> Bool {
        if allowed.contains(where: { $0.utf8.elementsEqual(group.utf8) }) { return true }
        if group.hasPrefix("group.") { return true }
        guard let end = group.utf8.firstIndex(of: UInt8(ascii: ".")) else { return false }
        // Ten characters. A team of Latchkey is named in base32, with the digits 2 to 7 (Docs/Formats/code-signature.md); the
        // names that Apple gives have every digit. Both name the same team on every device.
        let team = group.utf8[..<end]
        return team.count == teamCharacterCount && team.allSatisfy(isTeamCharacter)
    }

    private static func isTeamCharacter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
