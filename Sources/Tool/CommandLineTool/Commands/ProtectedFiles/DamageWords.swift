/// Damaged ranges of bytes, in words.
enum DamageWords {
    private static let shown = 4

    static func text(_ ranges: [Range<UInt64>]) -> String {
        let parts = ranges.prefix(shown).map { "\($0.lowerBound) to \($0.upperBound)" }
        let more = ranges.count > shown ? ", and \(ranges.count - shown) other ranges" : ""
        return "the bytes \(parts.joined(separator: ", "))\(more)"
    }

    static func json(_ path: String, _ ranges: [Range<UInt64>]) -> JSONValue {
        .object([
            ("path", .string(path)),
            (
                "ranges",
                .array(
                    ranges.prefix(1000).map { range in
                        .object([
                            ("from", .integer(Int64(clamping: range.lowerBound))),
                            ("to", .integer(Int64(clamping: range.upperBound))),
                        ])
                    })
            ),
        ])
    }
}
