internal import LatchkeyCryptoSuite
package import LatchkeySyncCore

/// A text by which a person recognizes a device in one circle: 130 bits of a hash over the circle and the six public keys.
///
/// It is not secret. Each of two devices that meet without a code is given the fingerprint of the other one by a person, and compares
/// all of it: the store that carries request and admission could replace anything else.
package struct DeviceFingerprint: Hashable, Sendable {
    package static let characterCount = 26
    /// The bits of a character.
    private static let characterBits = 5

    /// The values of the characters.
    private let numbers: [UInt8]

    package init(of keys: DevicePublicKeys, in circle: CircleIdentifier) {
        let hash = sha256(SyncInfo(.fingerprint).adding(circle).adding(keys.bytes).bytes)
        numbers = (0..<Self.characterCount).map { character in
            (0..<Self.characterBits).reduce(0) { number, bit in
                let place = character * Self.characterBits + bit
                return number << 1 | hash[place / 8] >> UInt8(7 - place % 8) & 1
            }
        }
    }

    /// Reads a fingerprint as a person typed it. Returns nil for other texts.
    package init?(reading text: String) {
        let characters = text.utf8.filter { !CodeAlphabet.isSeparator($0) }
        let numbers = characters.compactMap { CodeAlphabet.number(of: $0) }
        guard characters.count == Self.characterCount, numbers.count == characters.count else { return nil }
        self.numbers = numbers
    }

    /// The characters, without separators.
    package var text: String {
        String(decoding: numbers.map { CodeAlphabet.characters[Int($0)] }, as: UTF8.self)
    }

    /// The name of the request of this device in the store: the first 128 bits. A member that has the fingerprint finds the request.
    package var requestName: [UInt8] {
        (0..<InvitationKeys.nameByteCount).map { index in
            (0..<8).reduce(0) { byte, bit in
                let place = index * 8 + bit
                let number = numbers[place / Self.characterBits]
                return byte << 1 | number >> UInt8(Self.characterBits - 1 - place % Self.characterBits) & 1
            }
        }
    }
}
