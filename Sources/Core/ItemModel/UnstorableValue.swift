package import LatchkeyPropertyListDER

/// A value of a program's dictionary that items cannot store and messages cannot carry unchanged. The face replaces it
/// by a `.reference` of one of these kinds, and every call refuses a pair that has one.
package enum UnstorableValue: String, Sendable, Hashable, CaseIterable {
    /// Text with half of a surrogate pair. If it were repaired, two different texts would become equal.
    case illFormedText = "ill-formed text"
    /// A date that is infinite, not a number, or outside of the years 0 to 9999, the range of messages.
    case dateOutOfRange = "date out of range"

    /// The value that replaces it in a dictionary.
    package var value: PropertyValue { .reference(kind: rawValue, bytes: []) }

    /// Returns nil for every storable value.
    package init?(_ value: PropertyValue) {
        guard case .reference(let kind, _) = value else { return nil }
        self.init(rawValue: kind)
    }

    /// - Parameter seconds: since 2001-01-01 00:00:00 UTC.
    package static func isStorable(date seconds: Double) -> Bool {
        PropertyValue.dateRange.contains(seconds)
    }

    var refusal: QueryRefusal {
        switch self {
        case .illFormedText:
            QueryRefusal(.param, .textNotWellFormed)
        case .dateOutOfRange: .dateOutOfRange
        }
    }
}

extension QueryRefusal {
    static let dateOutOfRange = QueryRefusal(.param, .dateOutOfRange)
}
