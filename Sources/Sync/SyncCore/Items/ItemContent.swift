/// The content of a live item as it travels: opaque bytes, their digest and the dates.
package struct ItemContent: Hashable, Sendable {
    /// The digest of all attributes but the dates, and of the secret: equal items have equal digests, whenever they were written.
    package let digest: ObjectHash
    package let payload: [UInt8]
    package let dates: ItemDates
    /// The zone that the protection class of the item belongs to.
    package let zone: ZoneClass

    package init(digest: ObjectHash, payload: [UInt8], dates: ItemDates, zone: ZoneClass) {
        self.digest = digest
        self.payload = payload
        self.dates = dates
        self.zone = zone
    }
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
