/// The durable state of a ``SyncReplica``: the tables of the database.
///
/// It changes by ``TableChange`` only, so a state that applied every committed transaction is the state that a restart finds.
package struct ReplicaState: Hashable, Sendable {
    package let device: DeviceIdentifier
    package private(set) var clock = DeviceClock()
    package private(set) var items = ItemTable()
    /// The published rows that unpublished changes have replaced.
    package private(set) var replaced: [ItemName: KnownItem] = [:]
    /// The last applied segment of each stream, for the own streams the last that was sealed.
    package private(set) var vector = VersionVector()
    /// The hashes of those segments. Missing after a snapshot was loaded.
    package private(set) var marks = StreamTable<ObjectHash>()
    /// The segments that the author of a segment had applied, for those that may still meet a version written beside them.
    package private(set) var knowledge: [Dot: VersionVector] = [:]
    /// The own segments that are retained in the store.
    package private(set) var outbox: [Dot: ObjectSeal] = [:]
    /// The first of them in each zone.
    package private(set) var firsts = PerZone<UInt64>(both: 1)
    /// Segments that cannot be opened yet, still sealed.
    package private(set) var pending: [Dot: SealedSegment] = [:]
    /// Parts of a snapshot were loaded and others not: there may be items that the vector does not cover.
    package private(set) var isLoading = false
    /// The last head that was prepared. It may not have reached the store.
    package private(set) var head: Head?
    /// The uptime at which it was prepared.
    package private(set) var headAt: UInt64 = 0
    /// The own segments that the store is known to have had.
    package private(set) var confirmed = PerZone<UInt64>(both: 0)
    /// The own segments that another member is known to have as this device wrote them.
    package private(set) var acknowledged = PerZone<UInt64>(both: 0)
    /// The newest head of each other device.
    package private(set) var seen: [DeviceIdentifier: Head] = [:]
    package private(set) var snapshot: OwnSnapshot?
    package private(set) var previousSnapshots: [OwnSnapshot] = []
    /// The last number that was given to a snapshot, whether or not it reached the store.
    package private(set) var snapshotNumber: UInt64 = 0
    /// A snapshot has to be written for a reason that a restart must not forget.
    package private(set) var owesSnapshot = false
    /// The device knows the circle's items, so its own may be published.
    package private(set) var hasJoined: Bool
    /// Devices that signed two objects for one place.
    package private(set) var duplicated: Set<DeviceIdentifier> = []

    /// The state of a device that has no part in the circle yet.
    /// - Parameter hasJoined: true for the founder of a circle.
    package init(device: DeviceIdentifier, hasJoined: Bool) {
        self.device = device
        self.hasJoined = hasJoined
    }

    package mutating func apply(_ transaction: ReplicaTransaction) {
        for change in transaction.changes { apply(change) }
    }

    package mutating func apply(_ change: TableChange) {
        switch change {
        case .item(let name, let item): items[name] = item
        case .replaced(let name, let item): replaced[name] = item
        case .clock(let clock): self.clock.advance(to: clock)
        case .applied(let stream, let number, let mark):
            vector[stream] = number
            marks[stream] = mark
        case .knowledge(let dot, let vector): knowledge[dot] = vector
        case .outbox(let dot, let seal): outbox[dot] = seal
        case .first(let zone, let number): firsts[zone] = number
        case .pending(let dot, let segment): pending[dot] = segment
        case .loading(let isLoading): self.isLoading = isLoading
        case .head(let head, let uptime):
            self.head = head
            headAt = uptime
        case .confirmed(let numbers): confirmed = numbers
        case .acknowledged(let numbers): acknowledged = numbers
        case .seen(let head): seen[head.device] = head
        case .forgotten(let device): seen[device] = nil
        case .snapshot(let snapshot): self.snapshot = snapshot
        case .previousSnapshots(let snapshots): previousSnapshots = snapshots
        case .snapshotNumber(let number): snapshotNumber = number
        case .owesSnapshot(let owes): owesSnapshot = owes
        case .joined: hasJoined = true
        case .duplicated(let device): duplicated.insert(device)
        case .row, .conflict, .noted, .versioned, .forgottenDeletion, .received: break
        }
    }

    /// Takes back the uptimes that lie before the last start of the machine: the clock has begun anew.
    package mutating func forgetUptimes(after uptime: UInt64) {
        if headAt > uptime { headAt = 0 }
        if let old = snapshot, old.writtenAt > uptime {
            snapshot = OwnSnapshot(
                reference: old.reference, byteCount: old.byteCount, writtenAt: 0, wasReadBack: old.wasReadBack)
        }
    }

    /// Returns the state with which a restored or cloned device asks for approval under a new identity.
    ///
    /// The dots stay: what was deleted meanwhile is recognised when a snapshot is loaded. A change that no other member is known to have had
    /// keeps neither version nor dot, because the twin of this device may have used both for something else, and the circle may have
    /// forgotten a greater tombstone. Its item counts as a local one again, and has to be reported with ``ReplicaEvent/changed(_:)``. A
    /// deletion of that kind is forgotten.
    /// - Parameter deleted: items whose rows were deleted and that have no version for it. Their contents count as missing.
    package func renewed(as device: DeviceIdentifier, deleted: Set<ItemName> = []) -> ReplicaState {
        var renewed = ReplicaState(device: device, hasJoined: false)
        renewed.clock = clock
        let known = knownToOthers
        var isComplete = ZoneClass.allCases.allSatisfy { known[$0] == vector[StreamIdentifier(self.device, $0)] }
        for (name, item) in items {
            if isKnown(item, known) {
                renewed.items[name] = item
            } else if item.dot == nil, var old = replaced[name], isKnown(old, known) {
                if item.state == .gone, old.state == .live { old.state = .missing }
                renewed.items[name] = old
            } else {
                isComplete = false
            }
        }
        for name in deleted where renewed.items[name]?.state == .live { renewed.items[name]?.state = .missing }
        renewed.knowledge = knowledge
        renewed.seen = seen
        renewed.isLoading = isLoading || !isComplete
        // Without the versions that were left out, the items are not those of the vector: everything is read again.
        if isComplete {
            renewed.vector = vector
            renewed.marks = marks
            renewed.pending = pending
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(self.device, zone)
                renewed.vector[stream] = known[zone]
                renewed.marks[stream] = nil
            }
        }
        renewed.duplicated = duplicated.subtracting([self.device])
        return renewed
    }

    /// The own segments of which other members can have known. If no other is known, those that the store had.
    private var knownToOthers: PerZone<UInt64> { seen.isEmpty ? confirmed : acknowledged }

    private func isKnown(_ item: KnownItem, _ known: PerZone<UInt64>) -> Bool {
        guard let dot = item.dot else { return false }
        return dot.stream.device != device || dot.number <= known[dot.stream.zone]
    }
}
