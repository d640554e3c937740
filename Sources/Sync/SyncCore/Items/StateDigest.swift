/// The digest of the live items of a device: the sum, modulo 2^256, of a keyed hash of each item.
///
/// A sum can be corrected when one item changes. Two devices with equal vectors have equal digests.
package struct StateDigest: Hashable, Sendable {
    /// The least significant word first.
    private var words: (UInt64, UInt64, UInt64, UInt64)

    package static var zero: StateDigest { StateDigest(0, 0, 0, 0) }

    /// - Parameter words: the number, least significant word first.
    package init(_ first: UInt64, _ second: UInt64, _ third: UInt64, _ fourth: UInt64) {
        words = (first, second, third, fourth)
    }

    /// The number that a hash is, most significant word first.
    package init(_ hash: ObjectHash) {
        self.init(hash.words.3, hash.words.2, hash.words.1, hash.words.0)
    }

    /// The digest as 32 bytes, most significant word first.
    var hash: ObjectHash { ObjectHash(words: (words.3, words.2, words.1, words.0)) }

    package static func += (sum: inout StateDigest, term: StateDigest) {
        var carry: UInt64 = 0
        func add(_ word: inout UInt64, _ other: UInt64) {
            let (first, firstOverflow) = word.addingReportingOverflow(other)
            let (second, secondOverflow) = first.addingReportingOverflow(carry)
            word = second
            carry = firstOverflow || secondOverflow ? 1 : 0
        }
        add(&sum.words.0, term.words.0)
        add(&sum.words.1, term.words.1)
        add(&sum.words.2, term.words.2)
        add(&sum.words.3, term.words.3)
    }

    package static func -= (sum: inout StateDigest, term: StateDigest) {
        // In two's complement, subtracting is adding the complement and one.
        sum += StateDigest(~term.words.0, ~term.words.1, ~term.words.2, ~term.words.3)
        sum += StateDigest(1, 0, 0, 0)
    }

    package static func == (left: Self, right: Self) -> Bool { left.words == right.words }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
    }
}
