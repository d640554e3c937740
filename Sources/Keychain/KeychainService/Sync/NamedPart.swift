import LatchkeyItemModel

/// A row up to which those that had no names were named.
package struct NamedPlace: Sendable {
    let itemClass: ItemClass
    let rowID: Int64
}

/// Some rows that were looked at to be named.
package struct NamedPart: Sendable {
    /// The number of rows that no longer wait.
    package var named = 0
    /// The last row; nil if there are no others.
    package var end: NamedPlace?
    /// True if a restored row waits until a deletion has come into the items.
    package var awaitsDeletion = false

    mutating func add(_ next: NamedPart) {
        named += next.named
        end = next.end
        awaitsDeletion = awaitsDeletion || next.awaitsDeletion
    }
}
