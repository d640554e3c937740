package import LatchkeyItemModel

/// Something the owner does that ends items for good.
package enum EndingCause: Int64, Sendable, Hashable, CaseIterable {
    case passcodeRemoval = 1
    /// A finger is enrolled or removed.
    case fingerChange = 2
    case erasure = 3
}

/// The items that an act of the owner would end.
package struct EndingPreview: Sendable, Hashable {
    /// The number of items by access group.
    package let counts: [String: Int64]
    /// Items that a locked class keeps closed, so that the device cannot tell whether they would end.
    package let unseenCount: Int64

    package init(counts: [String: Int64], unseenCount: Int64 = 0) {
        self.counts = counts
        self.unseenCount = unseenCount
    }

    package var count: Int64 { counts.values.reduce(0, +) }
}

/// The number of items that ended for one reason.
package struct EndedItemCount: Sendable, Hashable {
    package let reason: EndReason
    package let count: Int64
    /// When the last of them ended: seconds since 2001-01-01 00:00:00 UTC.
    package let lastDate: Double

    package init(reason: EndReason, count: Int64, lastDate: Double) {
        self.reason = reason
        self.count = count
        self.lastDate = lastDate
    }
}

/// An item that ended. Its names are not kept in the clear; a search for the item tells whether it is one of these.
package struct EndedItem: Sendable, Hashable {
    package let itemClass: String
    package let accessGroup: String
    package let ending: Ending
    /// Seconds since 2001-01-01 00:00:00 UTC.
    package let created: Double

    package init(itemClass: String, accessGroup: String, ending: Ending, created: Double) {
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.ending = ending
        self.created = created
    }
}
