/// Changes of the database that are committed together.
package struct ReplicaTransaction: Hashable, Sendable {
    package let changes: [TableChange]

    /// True if the transaction must fail while a call has no name: it has something that other devices wrote, or gives
    /// a version to what had none, and the call may be one of the same item.
    package var needsNames: Bool {
        changes.contains { change in
            switch change {
            case .received, .versioned: true
            default: false
            }
        }
    }

    /// True if the transaction has something that other devices wrote.
    package var appliesReceived: Bool {
        changes.contains { change in
            if case .received = change { true } else { false }
        }
    }
}

/// One change of one table.
package enum TableChange: Hashable, Sendable {
    /// `syncitems`.
    case item(ItemName, KnownItem?)
    /// The published row of `syncitems` that an unpublished change has replaced.
    case replaced(ItemName, KnownItem?)
    /// The item table: writes the content of a record into the row, or removes the row. Its row number and persistent reference stay.
    case row(ItemName, ItemContent?)
    /// `syncconflicts`.
    case conflict(ConflictVersion)
    /// The local change of the name is dealt with: the row does not differ from its `syncitems` row any more.
    case noted(ItemName)
    /// A change without a version gets one of now: a call that came in between has an older one, and must not meet it.
    case versioned(ItemName)
    /// Moves the clock forward. A call may have moved it further.
    case clock(DeviceClock)
    /// The tombstone of a deletion, of the time of its version, is forgotten. A restored item has to know of it.
    case forgottenDeletion(ItemName, at: UInt64)
    /// The number and the hash of the last applied segment of a stream.
    case applied(StreamIdentifier, UInt64, ObjectHash?)
    /// The segments that the author of a segment had applied.
    case knowledge(Dot, VersionVector?)
    /// The sealed bytes of an own segment.
    case outbox(Dot, ObjectSeal?)
    case first(ZoneClass, UInt64)
    /// The sealed bytes of a segment that cannot be applied yet.
    case pending(Dot, SealedSegment?)
    /// The transaction applies what a device has written.
    case received(from: DeviceIdentifier, ZoneClass?)
    /// Parts of a snapshot were loaded, and the vector does not count them yet.
    case loading(Bool)
    case head(Head, at: UInt64)
    /// The last numbers of a head that the store took.
    case confirmed(PerZone<UInt64>)
    /// The last numbers that another member is known to have.
    case acknowledged(PerZone<UInt64>)
    case seen(Head)
    case forgotten(DeviceIdentifier)
    case snapshot(OwnSnapshot?)
    case previousSnapshots([OwnSnapshot])
    case snapshotNumber(UInt64)
    case owesSnapshot(Bool)
    case joined
    case duplicated(DeviceIdentifier)
}
