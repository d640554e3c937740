/// The reason for which a version that lost is kept.
package enum ConflictReason: UInt8, Hashable, Sendable {
    /// A greater version whose author did not have this one.
    case overruled = 1
    /// A deletion on another device.
    case deleted = 2
    /// A local item of a device that joined, or the circle's item of the same name: the one with the older modification date.
    case joined = 3
}

/// A version that lost, kept in the table `syncconflicts` and restored as an ordinary new change.
package struct ConflictVersion: Hashable, Sendable {
    package let name: ItemName
    /// Nil for a local item that had no version when its device joined.
    package let version: ItemVersion?
    package let reason: ConflictReason
    package let source: Source

    package enum Source: Hashable, Sendable {
        /// The row of the item table as it is before the transaction. It is copied sealed, so this works on a locked device.
        case row
        /// A record that was opened in the event of the transaction. It is sealed for the table under the class of the item.
        case record(ItemContent)
    }

    package init(name: ItemName, version: ItemVersion?, reason: ConflictReason, source: Source) {
        self.name = name
        self.version = version
        self.reason = reason
        self.source = source
    }
}
