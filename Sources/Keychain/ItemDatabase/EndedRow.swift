package import LatchkeyItemModel

/// The record of an item that ended on purpose, without its attributes and its secret.
package struct EndedRow: Sendable, Hashable {
    package let itemClass: ItemClass
    package let accessGroup: String
    package let ending: Ending
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    package let creationDate: Int64
    /// Whether a search has met it; then a delete does not find it either.
    package let isMet: Bool
}

/// The items of one reason that a device remembers.
package struct EndedCount: Sendable, Hashable {
    package let reason: EndReason
    package let count: Int64
    /// When the last of them ended; seconds since 2001-01-01 00:00:00 UTC.
    package let lastDate: Double
}
