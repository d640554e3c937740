internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncStore

/// A step after which a caller that waits for the circle may have its turn: none of them takes long.
enum SyncWork {
    /// To name rows behind a place.
    case names(after: NamedPlace?)
    /// To name rows that were written behind the last look for them, and then as ``reportNamed``.
    case report
    /// To look for what programs have changed.
    case reportNamed
    case changes([SyncChangeRow])
    case event(QueuedEvent)
}

/// An event with the bytes of the objects that came with it.
struct QueuedEvent {
    let event: ReplicaEvent
    var objects: [ObjectHash: [UInt8]] = [:]
    /// The number of the last change of programs that the replica knows after this event.
    var told: Int64?
}

/// A head of the last exchange.
struct KnownHead {
    let bytes: [UInt8]
    let mark: HeadMark
    let verified: VerifiedObject<HeadObject>
}
