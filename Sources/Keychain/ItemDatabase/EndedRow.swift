package import LatchkeyEncoding
package import LatchkeyItemModel

/// The record of an item that was ended on purpose, without its attributes and its secret.
package struct EndedRow: Sendable, Hashable {
    package let itemClass: ItemClass
    package let accessGroup: String
    package let ending: Ending
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    package let creationDate: Int64
    /// True if a search has already found the row; a delete then does not report it either.
    package let isMet: Bool
}

/// The number of ended items with the same reason.
package struct EndedCount: Sendable, Hashable {
    package let reason: EndReason
    package let count: Int64
    /// The end of the last of them.
    package let lastDate: WallTime
}
