/// An output of a ``SyncReplica``. The effects of one event are performed in their order.
package enum ReplicaEffect: Sendable {
    /// Commits durably before a later effect that others can see. If this fails, the replica is discarded and created again from the
    /// database, as after a crash.
    case commit(ReplicaTransaction)
    case read(StoreQuestion)
    /// Creates objects whose bytes the environment has sealed: those of segments are in the outbox.
    case create([SealedObject])
    /// Replaces the head of this device.
    case writeHead(Head)
    /// Removes objects that no head of this device names.
    case remove([ObjectName])
    /// Creates an epoch: there is none to write in.
    case createEpoch
    /// Wants ``ReplicaEvent/time`` at once: there is more to do than one event should.
    case goOn
    /// Replaces the earlier time at which ``ReplicaEvent/time`` is wanted.
    case wake(at: UInt64)
    /// Two objects that a device signed for one place. A device that has the bytes of both publishes them as evidence.
    case report(Contradiction)
    case raise(SyncAlarm)
    case clear(SyncAlarm)
}

/// A question to the store.
package enum StoreQuestion: Hashable, Sendable {
    case heads
    case segments([Dot])
    case snapshotPart(DeviceIdentifier, number: UInt64, part: Int)
    case ownHead
    /// An object that this device is said to have written.
    case ownObject(ObjectName)
    /// The names of all segments and parts of snapshots of a device.
    case objects(DeviceIdentifier)
}

/// Two signed objects of a device of which an honest device can have written only one.
package enum Contradiction: Hashable, Sendable {
    /// Two heads with one number.
    case heads(DeviceIdentifier, ObjectHash, ObjectHash)
    /// Two segments with one number.
    case segments(Dot, ObjectHash, ObjectHash)

    package var device: DeviceIdentifier {
        switch self {
        case .heads(let device, _, _): device
        case .segments(let dot, _, _): dot.stream.device
        }
    }
}
