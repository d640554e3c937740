import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
package import LatchkeyEncoding

/// The ten characters that stand for a team: the first ten of the base32 SHA-256 of its public key.
package struct TeamIdentifier: Sendable, Hashable, CustomStringConvertible {
    package static let characterCount = 10
    /// RFC 4648, without padding.
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    package let text: String

    /// Nil unless the text has the form of a team identifier.
    package init?(_ text: String) {
        guard text.utf8.count == Self.characterCount, text.utf8.allSatisfy({ Self.alphabet.contains($0) }) else {
            return nil
        }
        self.text = text
    }

    package init(of key: TeamPublicKey) {
        var characters: [UInt8] = []
        // Five bits a character, the highest first; ten characters need the first seven bytes.
        let bits = sha256(key.bytes).prefix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        for index in 0..<Self.characterCount { characters.append(Self.alphabet[Int(bits >> (51 - 5 * index) & 31)]) }
        text = String(decoding: characters, as: UTF8.self)
    }

    package var description: String { text }
}

/// A team's public key: a point of P-256 in the uncompressed form of X9.63, 65 bytes beginning with 04.
package struct TeamPublicKey: Sendable, Hashable {
    package static let byteCount = 65

    package let bytes: [UInt8]

    /// Nil unless the bytes have the form of a point; a signature check finds out whether it lies on the curve.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes[0] == 4 else { return nil }
        self.bytes = bytes
    }

    package var identifier: TeamIdentifier { TeamIdentifier(of: self) }

    /// True if the bytes are a point of the curve.
    package var isOnCurve: Bool { key != nil }

    /// The key that verifies signatures; nil if the bytes are not a point of the curve.
    var key: PublicKey? { try? PublicKey(externalRepresentation: bytes, type: .ellipticCurve) }
}

/// A device's verdict on the team that signed a program.
package enum TeamVerdict: Sendable, Hashable {
    case trusted
    /// Never trusted on this device.
    case unknown
    /// The device has pinned another key under the same identifier.
    case otherKey
    case revoked
    /// Trusted until a date in the past.
    case expired(WallTime)
}
