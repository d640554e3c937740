internal import LatchkeyPropertyListDER

/// The departure of its author.
package struct Leave: Hashable, Sendable {
    /// The last segments of the author's streams: nothing after them counts.
    package let counted: CountedSegments

    package init(counted: CountedSegments) {
        self.counted = counted
    }

    var value: PropertyValue { .dictionary(["n": .data(counted.bytes)]) }

    init(_ value: PropertyValue) throws(StatementFailure) {
        var reader = try FieldReader(value, field: "b")
        counted = try CountedSegments(parsing: try reader.data("n"), field: "n")
        try reader.finish()
    }
}
