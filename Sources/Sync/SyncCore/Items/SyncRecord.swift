/// One version of one item, live or deleted.
package struct SyncRecord: Hashable, Sendable {
    package let name: ItemName
    package let version: ItemVersion
    /// The version that this one replaced, as far as it was published. Nil for a new item.
    package let base: ItemVersion?
    package let state: State

    package enum State: Hashable, Sendable {
        case live(ItemContent)
        /// A tombstone.
        case gone
        /// A live item whose content the author of a snapshot does not have. Occurs in snapshots only.
        case withheld(digest: ObjectHash, zone: ZoneClass)
    }

    package init(name: ItemName, version: ItemVersion, base: ItemVersion?, state: State) {
        self.name = name
        self.version = version
        self.base = base
        self.state = state
    }

    /// The stream that the record is published in. Tombstones are always in C, so that they are applied on locked devices as well.
    package var zone: ZoneClass {
        switch state {
        case .live(let content): content.zone
        case .gone: .c
        case .withheld(_, let zone): zone
        }
    }

    /// The digest of the content. Nil for a tombstone.
    package var digest: ObjectHash? {
        switch state {
        case .live(let content): content.digest
        case .withheld(let digest, _): digest
        case .gone: nil
        }
    }

    /// The bytes of the record in a segment, at most: what counts towards the limits of segments and of parts of snapshots.
    package var byteCount: Int {
        switch state {
        case .live(let content): Self.overhead + content.byteCount
        case .gone, .withheld: Self.overhead
        }
    }

    /// Name, version, base, digest and dates with their lengths.
    private static let overhead = 256
}
