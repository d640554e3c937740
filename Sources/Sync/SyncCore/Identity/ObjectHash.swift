import LatchkeyEncoding

/// SHA-256 over an object of the store. Ordered as its bytes: ties between statements are broken by this order.
package struct ObjectHash: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let byteCount = 32
    /// The place of a hash where there is none.
    static let none = ObjectHash(words: (0, 0, 0, 0))

    /// Most significant first.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Returns nil unless there are ``byteCount`` bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount else { return nil }
        let all = Array(bytes)
        func number(_ start: Int) -> UInt64 { all[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        words = (number(0), number(8), number(16), number(24))
    }

    package init(words: (UInt64, UInt64, UInt64, UInt64)) {
        self.words = words
    }

    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) }
        }
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
