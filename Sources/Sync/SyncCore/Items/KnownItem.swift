/// The row of an item in the table `syncitems`: the current version of a name, without its content.
///
/// The row stays when the item goes: a tombstone needs name and version only, so items can be deleted while the device is locked.
package struct KnownItem: Hashable, Sendable {
    package var version: ItemVersion
    package var base: ItemVersion?
    /// Where the version was published. Nil while it waits for its segment.
    package var dot: Dot?
    package var state: State
    package var zone: ZoneClass
    /// The digest of the content. Nil for a tombstone.
    package var digest: ObjectHash?

    package enum State: UInt8, Hashable, Sendable {
        case live = 1
        /// Deleted: a tombstone.
        case gone = 2
        /// Removed from this device without a tombstone. A greater version restores the item.
        case absentHere = 3
        /// Named by a snapshot whose author did not have the content. The same version with its content restores the item.
        case missing = 4
    }

    package init(
        version: ItemVersion, base: ItemVersion?, dot: Dot?, state: State, zone: ZoneClass, digest: ObjectHash?
    ) {
        self.version = version
        self.base = base
        self.dot = dot
        self.state = state
        self.zone = zone
        self.digest = digest
    }

    /// The row for a record that was published at `dot`.
    package init(_ record: SyncRecord, at dot: Dot) {
        let state: State =
            switch record.state {
            case .live: .live
            case .gone: .gone
            case .withheld: .missing
            }
        self.init(
            version: record.version, base: record.base, dot: dot, state: state, zone: record.zone, digest: record.digest
        )
    }

    /// Returns true if the item exists in the circle, with or without its content on this device.
    package var isAlive: Bool { state != .gone }
}
