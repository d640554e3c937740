import LatchkeyEncoding

/// Identifiers as text, lower-case with hyphens.
package enum UUIDText {
    private static let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16]

    /// - Parameter bytes: 16 of them.
    package static func text(_ bytes: [UInt8]) -> String {
        parts.map { Hexadecimal.text(bytes[$0]) }.joined(separator: "-")
    }

    /// Returns nil for any other text.
    package static func bytes(_ text: String) -> [UInt8]? {
        guard let bytes = Hexadecimal.bytes(from: text.utf8.filter { $0 != UInt8(ascii: "-") }), bytes.count == 16,
            Self.text(bytes) == text.lowercased()
        else { return nil }
        return bytes
    }
}
