import LatchkeyEncoding

/// SHA-256 over an object of the store. Ordered as its bytes: ties between statements are broken by this order.
package struct ObjectHash: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let byteCount = 32
    /// The place of a hash where there is none.
    static let none = ObjectHash(words: (0, 0, 0, 0))

    /// Most significant first.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Returns nil unless there are ``byteCount`` bytes.
    package init?(_ bytes: ArraySlice<UInt8>) {
        func word(_ number: Int) -> UInt64? { UInt64(bigEndianBytes: bytes.dropFirst(8 * number).prefix(8)) }
        guard bytes.count == Self.byteCount, let first = word(0), let second = word(1), let third = word(2),
            let fourth = word(3)
        else { return nil }
        words = (first, second, third, fourth)
    }

    package init?(_ bytes: [UInt8]) {
        self.init(bytes[...])
    }

    package init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    package var bytes: [UInt8] {
        words.0.bigEndianBytes + words.1.bigEndianBytes + words.2.bigEndianBytes + words.3.bigEndianBytes
    }

    package var description: String { Hexadecimal.text(bytes) }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package static func < (left: Self, right: Self) -> Bool { left.words < right.words }

    package func hash(into hasher: inout Hasher) {
        // All of them: a peer can name hashes that nothing has, with words in common.
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
