import LatchkeyEnclaveContract

/// A fingerprint of a device as a person may have typed it: 26 letters and digits.
///
/// Its length alone tells it from an invitation code and a recovery code, which are secret.
package struct FingerprintText: Sendable, Hashable {
    package static let characterCount = 26
    private static let groupLength = 4

    /// Without hyphens and blanks, in capital letters.
    package let characters: String

    /// Reads a text, with or without hyphens and blanks. Returns nil for one that is not a fingerprint.
    package init?(_ text: String) {
        let bytes = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard bytes.count == Self.characterCount, bytes.allSatisfy(Self.isLetterOrDigit) else { return nil }
        characters = String(decoding: bytes, as: UTF8.self).uppercased()
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }

    /// The text for people, in groups of four characters.
    package var grouped: String {
        var rest = characters[...]
        var groups: [Substring] = []
        while !rest.isEmpty {
            groups.append(rest.prefix(Self.groupLength))
            rest = rest.dropFirst(Self.groupLength)
        }
        return groups.joined(separator: "-")
    }
}

extension MessageFields {
    mutating func fingerprint(_ name: String) throws(MessageCodingFailure) -> FingerprintText {
        try Self.fingerprint(try text(name), name)
    }

    mutating func optionalFingerprint(_ name: String) throws(MessageCodingFailure) -> FingerprintText? {
        guard let text = try optionalText(name) else { return nil }
        return try Self.fingerprint(text, name)
    }

    /// A message has the characters alone.
    private static func fingerprint(
        _ text: String, _ name: String
    ) throws(MessageCodingFailure) -> FingerprintText {
        guard let fingerprint = FingerprintText(text), fingerprint.characters == text else { throw .badField(name) }
        return fingerprint
    }
}
