package import LatchkeyPropertyListDER

/// A value of a program's dictionary that no item can hold and no message can carry unchanged. The face puts a
/// `.reference` of one of these kinds in its place, and every call refuses a pair that has one.
package enum UnstorableValue: String, Sendable, Hashable, CaseIterable {
    /// Text with half of a surrogate pair. Repaired, two different texts would become the same one.
    case illFormedText = "ill-formed text"
    /// A date that is infinite, not a number, or outside of the years 0 to 9999, all that a message can say.
    case dateOutOfRange = "date out of range"

    /// The value that stands for it in a dictionary.
    package var value: PropertyValue { .reference(kind: rawValue, bytes: []) }

    /// Nil for every other value.
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
            QueryRefusal(
                .param, .textNotWellFormed, "A text of the dictionary has half of a surrogate pair.",
                advice: "Give whole characters: cut texts between characters, not between UTF-16 units.")
        case .dateOutOfRange: .dateOutOfRange
        }
    }
}

extension QueryRefusal {
    static let dateOutOfRange = QueryRefusal(
        .param, .dateOutOfRange,
        "A date of the dictionary is infinite, not a number, or not in the years 0 to 9999.",
        advice: "Give a date of the calendar, or leave the key out.")
}
