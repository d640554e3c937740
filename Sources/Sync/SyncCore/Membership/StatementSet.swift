/// A set of statements of one graph: one bit for each position.
struct StatementSet: Hashable, Sendable {
    /// The last word is not zero.
    private var words: [UInt64] = []

    static let empty = StatementSet()

    func contains(_ position: Int) -> Bool {
        let word = position >> 6
        return word < words.count && words[word] & (1 << UInt64(position & 63)) != 0
    }

    mutating func insert(_ position: Int) {
        let word = position >> 6
        if word >= words.count { words.append(contentsOf: repeatElement(0, count: word + 1 - words.count)) }
        words[word] |= 1 << UInt64(position & 63)
    }

    mutating func formUnion(_ other: StatementSet) {
        if words.count < other.words.count {
            words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
        }
        for index in other.words.indices { words[index] |= other.words[index] }
    }

    mutating func formIntersection(_ other: StatementSet) {
        if words.count > other.words.count { words.removeLast(words.count - other.words.count) }
        for index in words.indices { words[index] &= other.words[index] }
        while words.last == 0 { words.removeLast() }
    }

    func intersection(_ other: StatementSet) -> StatementSet {
        var result = self
        result.formIntersection(other)
        return result
    }

    /// The positions below `count`.
    static func first(_ count: Int) -> StatementSet {
        var set = StatementSet()
        set.words = [UInt64](repeating: .max, count: count / 64)
        if count % 64 > 0 { set.words.append((1 << UInt64(count % 64)) - 1) }
        return set
    }
}
