import LatchkeySyncCore

/// A device under test: a replica, the database that its transactions go to, and a store answer at a time.
final class Bench: ReplicaEnvironment {
    var replica: SyncReplica!
    var state: ReplicaState
    var rows: [ItemName: ItemContent] = [:]
    var conflicts: [ConflictVersion] = []
    var uptime: UInt64 = 1_000_000
    /// The store, as far as this device has written it.
    var stored: Head?
    var snapshots: [UInt64: Snapshot] = [:]
    var removed: [ObjectName] = []
    private var seals: UInt64 = 0

    init(_ device: UInt8 = 1, hasJoined: Bool = true, lock: SyncLockState = .unlocked, members: [UInt8] = [1, 2]) {
        state = ReplicaState(device: Sample.device(device), hasJoined: hasJoined)
        restart(lock: lock, members: members)
    }

    /// Creates the replica again from what was committed.
    @discardableResult
    func restart(lock: SyncLockState = .unlocked, members: [UInt8] = [1, 2]) -> [ReplicaEffect] {
        replica = SyncReplica(state, in: self)
        return send(.locked(lock)) + circle(members)
    }

    @discardableResult
    func circle(
        _ members: [UInt8], removed: [UInt8: CountedSegments] = [:], epoch: UInt32? = 1, isOwnDecision: Bool = false
    ) -> [ReplicaEffect] {
        let view = CircleView(
            members: Set(members.map(Sample.device)),
            removed: Dictionary(uniqueKeysWithValues: removed.map { (Sample.device($0.key), $0.value) }),
            writingEpoch: epoch.map { EpochNumber($0) }, statementHeads: [Sample.hash(1)])
        return send(.circle(view, statements: [Sample.hash(1)], isOwnDecision: isOwnDecision))
    }

    @discardableResult
    func send(_ event: ReplicaEvent) -> [ReplicaEffect] {
        let moment = Moment(uptime: uptime, wallClock: uptime)
        let effects = replica.handle(event, at: moment, in: self)
        for case .commit(let transaction) in effects { commit(transaction) }
        return effects
    }

    @discardableResult
    func answer(_ answer: StoreAnswer) -> [ReplicaEffect] { send(.answer(answer)) }

    func write(_ content: UInt64, name: UInt8 = 1, zone: ZoneClass = .c) -> [ReplicaEffect] {
        let content = Sample.content(content, zone: zone)
        rows[Sample.name(name)] = content
        return send(.changed([.put(Sample.name(name), content)]))
    }

    /// Receives segments of another device, with the head that names them.
    @discardableResult
    func receive(
        _ segments: [Segment], from device: UInt8 = 2, head number: UInt64 = 1, vector: VersionVector = .init(),
        first: PerZone<UInt64> = .init(both: 1), snapshot: SnapshotReference? = nil
    ) -> [ReplicaEffect] {
        answer(.heads([head(device, number, segments, vector: vector, first: first, snapshot: snapshot)]))
            + answer(.segments(segments))
    }

    func head(
        _ device: UInt8, _ number: UInt64, _ segments: [Segment], vector: VersionVector = .init(),
        first: PerZone<UInt64> = .init(both: 1), snapshot: SnapshotReference? = nil, salt: UInt64 = 0
    ) -> Head {
        var streams = PerZone(both: StreamSummary())
        var vector = vector
        for zone in ZoneClass.allCases {
            let last = segments.filter { $0.dot.stream.zone == zone }.map(\.dot.number).max() ?? first[zone] - 1
            streams[zone] = StreamSummary(first: first[zone], last: last)
            vector[StreamIdentifier(Sample.device(device), zone)] = last
        }
        let body = Head.Body(
            statementHeads: [Sample.hash(1)], streams: streams, snapshot: snapshot, vector: vector, digest: nil,
            clock: DeviceClock())
        return Head(
            device: Sample.device(device), number: number, date: 0, body: body,
            hash: ObjectHash(words: (UInt64(device), number, salt, 77)))
    }

    static func segment(
        _ dot: Dot, _ records: [SyncRecord], epoch: UInt32 = 1, previous: ObjectHash? = nil,
        knows: VersionVector = .init()
    ) -> Segment {
        Segment(
            dot: dot, epoch: EpochNumber(epoch),
            previous: previous ?? (dot.number > 1 ? hash(of: dot, before: 1) : nil),
            knows: knows, records: records, hash: hash(of: dot, before: 0))
    }

    static func hash(of dot: Dot, before: UInt64) -> ObjectHash {
        ObjectHash(words: (dot.stream.device.words.0, UInt64(dot.stream.zone.rawValue), dot.number - before, 3))
    }

    private func commit(_ transaction: ReplicaTransaction) {
        for change in transaction.changes {
            switch change {
            case .row(let name, let content): rows[name] = content
            case .conflict(let conflict): conflicts.append(conflict)
            default: break
            }
            state.apply(change)
        }
    }

    // MARK: The environment

    func content(of name: ItemName) -> ItemContent? { rows[name] }
    func seal(_ segment: Segment) -> ObjectHash { nextSeal() }
    func seal(_ snapshot: Snapshot) -> ObjectHash { nextSeal() }
    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash { nextSeal() }

    private func nextSeal() -> ObjectHash {
        seals += 1
        return ObjectHash(words: (seals, 0, 0, 99))
    }

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest {
        StateDigest(name.words.0 &* 31 &+ version.time &* 7 &+ content.words.0, 0, 0, 0)
    }
}
