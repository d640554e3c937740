/// A prefix of access groups that stands for a team beside its own identifier: that of an Apple team, which programs
/// for iOS have in their source. A device gives it to one team, and to no other until it is erased.
package struct TeamAlias: Sendable, Hashable, Comparable, CustomStringConvertible {
    package static let characterCount = 10

    package let text: String

    /// Nil unless the text has the form of Apple's prefixes: ten capital letters and digits.
    package init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
        guard text.utf8.count == Self.characterCount, isAllowed else { return nil }
        self.text = text
    }

    package var description: String { text }

    package static func < (one: TeamAlias, other: TeamAlias) -> Bool { one.text < other.text }
}
