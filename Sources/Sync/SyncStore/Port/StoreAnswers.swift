/// The names of the objects under a prefix.
package struct StoreListing: Hashable, Sendable {
    /// In order, each once.
    package var names: [StoreObjectName]
    /// Entries beside the objects that no release writes: temporary files of other programs, for instance.
    package var foreignCount: Int
    /// False if there are more objects, or more foreign entries, than were looked at.
    package var isComplete: Bool

    package init(names: [StoreObjectName] = [], foreignCount: Int = 0, isComplete: Bool = true) {
        self.names = names
        self.foreignCount = foreignCount
        self.isComplete = isComplete
    }
}

/// The objects that were read. A name of the question that is in none of the three parts is not in the store.
package struct StoreReading: Hashable, Sendable {
    package var objects: [StoreObjectName: [UInt8]]
    /// Something is under these names that is not a whole object: half of one, or nothing but zeros.
    package var damaged: Set<StoreObjectName>
    /// Not read, because the answer had its full size: ask again.
    package var rest: [StoreObjectName]

    package init(
        objects: [StoreObjectName: [UInt8]] = [:], damaged: Set<StoreObjectName> = [], rest: [StoreObjectName] = []
    ) {
        self.objects = objects
        self.damaged = damaged
        self.rest = rest
    }
}

/// The reason why ``SyncStore/waitForHint(until:)`` returned.
package enum StoreHint: UInt8, Hashable, Sendable, CaseIterable {
    /// Something may have changed.
    case changed = 1
    /// The wait is over; nothing was noticed.
    case none = 2
}
