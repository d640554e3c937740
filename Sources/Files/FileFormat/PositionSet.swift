/// A set of block positions: one bit each, in pieces that exist only where a bit was set, and are as long as their
/// last bit needs. Most files are small.
struct PositionSet: Sendable {
    private static let wordsInPiece: UInt64 = 512
    private static let bitsInPiece = wordsInPiece * 64
    private static let fewestWords = 8

    private var pieces: [[UInt64]] = []
    private(set) var count: UInt64 = 0

    func contains(_ position: UInt64) -> Bool {
        let (piece, word, bit) = Self.split(position)
        guard piece < pieces.count, word < pieces[piece].count else { return false }
        return pieces[piece][word] & bit != 0
    }

    /// - Returns: false if the position was in the set already.
    @discardableResult
    mutating func insert(_ position: UInt64) -> Bool {
        let (piece, word, bit) = Self.split(position)
        while piece >= pieces.count { pieces.append([]) }
        if word >= pieces[piece].count {
            let doubled = max(Self.fewestWords, 2 * pieces[piece].count, word + 1)
            let missing = min(doubled, Int(Self.wordsInPiece)) - pieces[piece].count
            pieces[piece].append(contentsOf: repeatElement(0, count: missing))
        }
        guard pieces[piece][word] & bit == 0 else { return false }
        pieces[piece][word] |= bit
        count += 1
        return true
    }

    /// - Returns: false if the position was not in the set.
    @discardableResult
    mutating func remove(_ position: UInt64) -> Bool {
        guard contains(position) else { return false }
        let (piece, word, bit) = Self.split(position)
        pieces[piece][word] &= ~bit
        count -= 1
        return true
    }

    mutating func removeAll() {
        self = PositionSet()
    }

    mutating func subtract(_ other: PositionSet) {
        for piece in pieces.indices where piece < other.pieces.count {
            for word in 0..<min(pieces[piece].count, other.pieces[piece].count) {
                let removed = pieces[piece][word] & other.pieces[piece][word]
                count -= UInt64(removed.nonzeroBitCount)
                pieces[piece][word] ^= removed
            }
        }
    }

    var last: UInt64? {
        for piece in pieces.indices.reversed() {
            guard let word = pieces[piece].lastIndex(where: { $0 != 0 }) else { continue }
            let bit = 63 - pieces[piece][word].leadingZeroBitCount
            return UInt64(piece) * Self.bitsInPiece + UInt64(word) * 64 + UInt64(bit)
        }
        return nil
    }

    /// Returns the first position of the range that is not in the set.
    func firstAbsent(in range: Range<UInt64>) -> UInt64? {
        var position = range.lowerBound
        while position < range.upperBound {
            let (piece, word, _) = Self.split(position)
            guard piece < pieces.count, word < pieces[piece].count else { return position }
            let free = ~pieces[piece][word] >> (position % 64)
            if free != 0 {
                let found = position + UInt64(free.trailingZeroBitCount)
                return found < range.upperBound ? found : nil
            }
            position = (position / 64 + 1) * 64
        }
        return nil
    }

    private static func split(_ position: UInt64) -> (piece: Int, word: Int, bit: UInt64) {
        (Int(position / bitsInPiece), Int(position % bitsInPiece / 64), 1 << (position % 64))
    }
}
