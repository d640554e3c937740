import LatchkeySyncCore
import LatchkeySyncSimulation

/// A device under test: a replica, the database that its transactions go to, and a store answer at a time.
final class Bench: ReplicaEnvironment {
    var replica: SyncReplica!
    var state: ReplicaState
    var rows: [ItemName: ItemContent] = [:]
    var conflicts: [ConflictVersion] = []
    var uptime: UInt64 = 1_000_000
    /// The store, as far as this device has written it.
    var stored: Head?
    var created: [ObjectName: SealedSnapshotPart] = [:]
    var removed: [ObjectName] = []
    /// The sealed objects.
    var segments: [Dot: SegmentDraft] = [:]
    var parts: [ObjectName: (draft: SnapshotPartDraft, sealed: SealedSnapshotPart)] = [:]
    /// The contents of the objects of other devices.
    private var openedSegments: [ObjectHash: OpenedSegment] = [:]
    private var openedParts: [ObjectHash: OpenedSnapshotPart] = [:]
    /// The reason for which nothing is opened, and whether keys to seal with are gone.
    var openingFailure: OpeningFailure?
    var refusesToSeal = false
    /// A program changes rows while the next object is sealed.
    var whileSealing: (() -> Void)?
    private var seals: UInt64 = 0

    private let limits: ReplicaLimits
    private let rules: ReplicaRules

    init(
        _ device: UInt8 = 1, hasJoined: Bool = true, lock: SyncLockState = .unlocked, members: [UInt8] = [1, 2],
        limits: ReplicaLimits = .quickStore, without rule: SimulatedRule? = nil
    ) {
        self.limits = limits
        rules = rule?.left ?? .all
        state = ReplicaState(device: Sample.device(device), hasJoined: hasJoined)
        restart(lock: lock, members: members)
    }

    /// Creates the replica again from what was committed.
    @discardableResult
    func restart(lock: SyncLockState = .unlocked, members: [UInt8] = [1, 2]) -> [ReplicaEffect] {
        replica = SyncReplica(state, limits: limits, rules: rules)
        return send(.locked(lock)) + circle(members)
    }

    @discardableResult
    func circle(
        _ members: [UInt8], removed: [UInt8: CountedSegments] = [:], epoch: UInt32? = 1, isOwnDecision: Bool = false
    ) -> [ReplicaEffect] {
        let view = CircleView(
            members: Set(members.map(Sample.device)),
            removed: Dictionary(uniqueKeysWithValues: removed.map { (Sample.device($0.key), $0.value) }),
            writingEpoch: epoch.map { EpochName(number: EpochNumber($0), hash: Sample.hash(UInt64($0))) },
            statementHeads: [Sample.hash(1)])
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
        return change([.put(Sample.name(name), content)])
    }

    /// Reports changes of programs, with what their transactions keep.
    @discardableResult
    func change(_ changes: [LocalChange]) -> [ReplicaEffect] {
        send(.changed(changes.map { StampedChange($0, nextStamp()) }))
    }

    private func nextStamp() -> ChangeStamp {
        guard state.hasJoined else { return .none(isRestored: false) }
        var clock = state.clock
        guard let next = clock.next(in: clock.epoch, wallClock: uptime) else { return .awaitsEpoch(after: clock.epoch) }
        state.apply(.clock(next))
        return .made(next)
    }

    /// Receives segments of another device, with the head that names them.
    @discardableResult
    func receive(
        _ segments: [SampleSegment], from device: UInt8 = 2, head number: UInt64 = 1, vector: VersionVector = .init(),
        first: PerZone<UInt64> = .init(both: 1), snapshot: SnapshotReference? = nil
    ) -> [ReplicaEffect] {
        answer(.heads([head(device, number, segments, vector: vector, first: first, snapshot: snapshot)]))
            + show(segments)
    }

    /// Shows segments of another device.
    @discardableResult
    func show(_ segments: [SampleSegment]) -> [ReplicaEffect] {
        for segment in segments { openedSegments[segment.sealed.hash] = segment.opened }
        return answer(.segments(segments.map(\.sealed)))
    }

    /// Shows a part of a snapshot of another device.
    @discardableResult
    func show(_ snapshot: SampleSnapshot, part: Int = 0) -> [ReplicaEffect] {
        let sealed = snapshot.parts[part]
        openedParts[sealed.seal.hash] = snapshot.opened[part]
        return answer(.snapshotPart(sealed.device, number: sealed.number, part: part, sealed))
    }

    func head(
        _ device: UInt8, _ number: UInt64, _ segments: [SampleSegment], vector: VersionVector = .init(),
        first: PerZone<UInt64> = .init(both: 1), snapshot: SnapshotReference? = nil, salt: UInt64 = 0,
        marks: StreamTable<SegmentMark> = [:], statements: Set<ObjectHash> = [Sample.hash(1)],
        digest: StateDigest? = nil, clock: DeviceClock = DeviceClock(), hasJoined: Bool = true
    ) -> Head {
        var streams = PerZone(both: StreamSummary())
        var vector = vector
        for zone in ZoneClass.allCases {
            let last = segments.filter { $0.dot.stream.zone == zone }.map(\.dot.number).max() ?? first[zone] - 1
            streams[zone] = StreamSummary(first: first[zone], last: last)
            vector[StreamIdentifier(Sample.device(device), zone)] = last
        }
        let body = Head.Body(
            statementHeads: statements, streams: streams, snapshot: snapshot, vector: vector, marks: marks,
            digest: digest, clock: clock, hasJoined: hasJoined)
        return Head(
            device: Sample.device(device), number: number, date: 0, body: body,
            hash: ObjectHash(words: (UInt64(device), number, salt, 77)))
    }

    static func segment(
        _ dot: Dot, _ records: [SyncRecord], epoch: UInt32 = 1, previous: ObjectHash? = nil,
        knows: VersionVector = .init()
    ) -> SampleSegment {
        SampleSegment(
            sealed: SealedSegment(
                dot: dot, epoch: Sample.hash(UInt64(epoch)),
                previous: previous ?? (dot.number > 1 ? hash(of: dot, before: 1) : nil), knows: knows,
                seal: ObjectSeal(hash: hash(of: dot, before: 0), byteCount: 1_000)),
            opened: OpenedSegment(
                epoch: EpochNumber(epoch), records: SampleSegment.placed(records, in: .segment(dot))))
    }

    static func hash(of dot: Dot, before: UInt64) -> ObjectHash {
        ObjectHash(words: (dot.stream.device.words.0, UInt64(dot.stream.zone.rawValue), dot.number - before, 3))
    }

    private func commit(_ transaction: ReplicaTransaction) {
        for change in transaction.changes {
            switch change {
            case .row(let name, let content): rows[name] = content?.inRow
            case .conflict(let conflict): conflicts.append(conflict)
            default: break
            }
            state.apply(change)
        }
    }

    // MARK: The environment

    func content(of name: ItemName) -> ItemContent? { rows[name] }
    func seal(_ segment: SegmentDraft) -> ObjectSeal? {
        guard let hash = nextSeal(), areCurrent(segment.records) else { return nil }
        segments[segment.dot] = segment
        return ObjectSeal(hash: hash, byteCount: 1_000)
    }

    func seal(_ part: SnapshotPartDraft) -> ObjectSeal? {
        guard let hash = nextSeal(), areCurrent(part.entries.map(\.record)) else { return nil }
        let seal = ObjectSeal(hash: hash, byteCount: 1_000)
        let sealed = SealedSnapshotPart(
            device: part.device, number: part.number, part: part.part, epoch: part.epoch.hash, vector: part.vector,
            clock: part.clock, seal: seal)
        parts[part.name] = (part, sealed)
        return seal
    }

    private func areCurrent(_ records: [SyncRecord]) -> Bool {
        whileSealing?()
        whileSealing = nil
        return records.allSatisfy { record in
            guard case .live(let content) = record.state, content.place == .row else { return true }
            return rows[record.name] == content
        }
    }

    func seal(_ body: Head.Body, number: UInt64, date: UInt64) -> ObjectHash? { nextSeal() }

    func open(_ segment: SealedSegment) throws(OpeningFailure) -> OpenedSegment {
        if let openingFailure { throw openingFailure }
        guard let opened = openedSegments[segment.hash] else { throw .malformed }
        return opened
    }

    func open(_ part: SealedSnapshotPart) throws(OpeningFailure) -> OpenedSnapshotPart {
        if let openingFailure { throw openingFailure }
        guard let opened = openedParts[part.seal.hash] else { throw .malformed }
        return opened
    }

    private func nextSeal() -> ObjectHash? {
        if refusesToSeal { return nil }
        seals += 1
        return ObjectHash(words: (seals, 0, 0, 99))
    }

    var hasCallWithoutName = false
    /// The disk is full.
    var failsToStoreClocks = false
    private(set) var failedClocks = 0

    func makeVersions(
        _ count: Int, in epoch: EpochNumber, after known: DeviceClock, wallClock: UInt64
    ) -> MadeVersions {
        if failsToStoreClocks {
            failedClocks += 1
            return .failed
        }
        var clock = max(state.clock, known)
        let clocks = clock.next(count, in: epoch, wallClock: wallClock)
        state.apply(.clock(clock))
        return clocks.map { .made($0) } ?? .needsEpoch
    }

    func digestTerm(_ name: ItemName, _ version: ItemVersion, _ content: ObjectHash) -> StateDigest? {
        StateDigest(name.words.0 &* 31 &+ version.time &* 7 &+ content.words.0, 0, 0, 0)
    }
}
