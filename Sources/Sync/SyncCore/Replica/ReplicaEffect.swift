/// An output of a ``SyncReplica``. The effects of one event are performed in their order.
package enum ReplicaEffect: Sendable {
    /// Commits durably before the next effect is performed. If this fails, the replica is discarded and created again from the
    /// database, as after a crash.
    case commit(ReplicaTransaction)
    case read(StoreQuestion)
    case create([StoredObject])
    /// Replaces the head of this device.
    case writeHead(Head)
    /// Removes objects that no head of this device names.
    case remove([ObjectName])
    /// Creates an epoch: there is none to write in.
    case createEpoch
    /// Replaces the earlier time at which ``ReplicaEvent/time`` is wanted.
    case wake(at: UInt64)
    case raise(SyncAlarm)
    case clear(SyncAlarm)
}

/// A question to the store.
package enum StoreQuestion: Hashable, Sendable {
    case heads
    case segments([Dot])
    case snapshot(DeviceIdentifier, number: UInt64)
    case ownHead
    /// The names of all segments and snapshots of a device.
    case objects(DeviceIdentifier)
}
