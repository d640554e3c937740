/// An input of a ``SyncReplica``.
package enum ReplicaEvent: Sendable {
    /// Programs changed eligible items. After a start, every row that differs from its `syncitems` row. A change that is reported again
    /// takes the place of the former report: in a new epoch, calls that waited for it have their versions.
    case changed([StampedChange])
    case locked(SyncLockState)
    /// The result of the membership rules, and all statements that are known. Also when further zone keys are at hand.
    /// - Parameter isOwnDecision: this device has just admitted or removed a device.
    case circle(CircleView, statements: Set<ObjectHash>, isOwnDecision: Bool)
    /// The store has valid evidence against a device: it signed two objects for one place.
    case evidence(against: DeviceIdentifier)
    /// Something may have changed in the store: a notification, or the polling timer of the transport.
    case hint
    /// The time of the last ``ReplicaEffect/wake(at:)`` has come.
    case time
    case answer(StoreAnswer)
}

/// An answer of the store. Objects were verified before: forged and damaged ones count as missing. The environment has the bytes of
/// sealed ones until the effects of the event were performed, and longer if they are pending.
package enum StoreAnswer: Sendable {
    /// The heads that the store shows.
    case heads([Head])
    /// Those of the wanted segments that the store has.
    case segments([SealedSegment])
    /// A wanted part of a snapshot. Nil if the store does not have it.
    case snapshotPart(DeviceIdentifier, number: UInt64, part: Int, SealedSnapshotPart?)
    /// The stored head of this device, read before publishing.
    case ownHead(Head?)
    /// The hash of the object that the store has under the name, if this device has signed it. Nil for anything else.
    case ownObject(ObjectName, ObjectHash?)
    /// All segments and parts of snapshots of a device that the store shows.
    case objects(DeviceIdentifier, Set<ObjectName>)
    /// The objects exist with the bytes that were given.
    case created([ObjectName])
    /// An object exists with other bytes under a name of this device. Its writer is unknown.
    case taken(ObjectName)
    case headWritten(UInt64)
    /// The store cannot be reached, refuses, or is full.
    case failed
}
