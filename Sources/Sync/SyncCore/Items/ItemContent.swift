/// The content of a live item as the core knows it: never the content itself, but what tells contents apart, and where it is found.
///
/// Attributes and secrets pass from one place to another without the core: it says which, and the environment moves them.
package struct ItemContent: Hashable, Sendable {
    /// The digest of all attributes but the dates, and of the secret: equal items have equal digests, whenever they were written.
    package let digest: ObjectHash
    package let dates: ItemDates
    /// The zone that the protection class of the item belongs to.
    package let zone: ZoneClass
    /// Of the encoded attributes and the secret.
    package let byteCount: Int
    package let place: ContentPlace

    package init(digest: ObjectHash, dates: ItemDates, zone: ZoneClass, byteCount: Int, place: ContentPlace = .row) {
        self.digest = digest
        self.dates = dates
        self.zone = zone
        self.byteCount = byteCount
        self.place = place
    }

    /// The content after it was written to the row of its item.
    package var inRow: ItemContent {
        ItemContent(digest: digest, dates: dates, zone: zone, byteCount: byteCount)
    }
}

/// A place where the environment finds the attributes and the secret of an item.
package enum ContentPlace: Hashable, Sendable {
    /// The row of the item's name in the item table.
    case row
    /// A record of an object that the environment opened while it handled the present event. Records count from 0.
    case record(Int, of: ObjectName)
}

/// The creation and modification dates of an item, in microseconds since 2001-01-01 00:00:00 UTC, as the writing device recorded them.
package struct ItemDates: Hashable, Sendable {
    package let created: UInt64
    package let modified: UInt64

    package init(created: UInt64, modified: UInt64) {
        self.created = created
        self.modified = modified
    }
}
