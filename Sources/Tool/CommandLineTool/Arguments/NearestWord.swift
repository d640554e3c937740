/// The known words that a mistyped one may have been meant to be.
package enum NearestWord {
    /// At most six, the likeliest first; empty if none is near enough for a slip of the fingers.
    package static func candidates(for word: String, among known: [String]) -> [String] {
        let word = word.lowercased()
        guard (2...64).contains(word.utf8.count) else { return [] }
        let beginnings = known.filter { word.count >= 3 && $0.hasPrefix(word) || word.hasPrefix($0 + "-") }
        guard beginnings.isEmpty else { return Array(beginnings.sorted().prefix(6)) }
        let near = known.map { (name: $0, distance: distance(Array(word.utf8), Array($0.utf8))) }
            .filter { $0.distance <= max(1, min($0.name.utf8.count, word.utf8.count) / 3) }
        guard let least = near.map(\.distance).min() else { return [] }
        return Array(near.filter { $0.distance == least }.map(\.name).sorted().prefix(6))
    }

    /// The number of letters to insert, delete, replace, or swap with their neighbour.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                let replaced = last[column] + (letter == otherLetter ? 0 : 1)
                var best = min(replaced, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
