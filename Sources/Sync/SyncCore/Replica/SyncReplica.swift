/// The item layer of one device: which changes are published, which segments are applied, and what may be forgotten.
///
/// A state machine without input or output. The caller passes events in, performs the effects in their order, and creates the replica
/// again from the committed state after a crash. Everything but ``state`` may be lost at any time.
package struct SyncReplica: Sendable {
    package let limits: ReplicaLimits
    package let rules: ReplicaRules
    /// The state with every change of the transactions that were handed out.
    package internal(set) var state: ReplicaState

    var lockState = SyncLockState.beforeFirstUnlock
    var circle = CircleView() {
        didSet { otherMembers = circle.members.filter { $0 != state.device }.sorted() }
    }
    /// The members of the circle but this device, in their order.
    private(set) var otherMembers: [DeviceIdentifier] = []
    var statements: Set<ObjectHash> = []
    var now = Moment(uptime: 0, wallClock: 0)

    /// Local changes that are not in the items.
    var waiting = WaitingChanges()
    var index: ItemIndex
    var publication = Publication()
    var reading = Reading()
    var writing = SnapshotWriting()
    var alarms = AlarmState()
    /// Objects that may be removed once a head that does not name them is in the store.
    var garbage: [ObjectName] = []
    var asksForEpoch = false
    /// Something has changed since garbage was looked for.
    var mayCollect = true
    var wakesAt: UInt64?

    /// The transaction that is being built.
    var open: [TableChange] = []
    /// The rows that this event writes: the environment shows them only after the effects were performed.
    var writtenRows: [ItemName: ItemContent?] = [:]
    var effects: [ReplicaEffect] = []

    /// A replica as it starts: locked, and without a circle until the first events.
    package init(_ state: ReplicaState, limits: ReplicaLimits = .quickStore, rules: ReplicaRules = .all) {
        self.state = state
        self.limits = limits
        self.rules = rules
        index = ItemIndex(state.items)
    }

    package mutating func handle(
        _ event: ReplicaEvent, at now: Moment, in environment: some ReplicaEnvironment
    ) -> [ReplicaEffect] {
        self.now = now
        effects = []
        writtenRows.removeAll()
        reading.room = limits.bytesOpenedInEvent
        switch event {
        case .changed(let changes): take(changes)
        case .locked(let lockState): enter(lockState, in: environment)
        case .circle(let view, let statements, let isOwnDecision):
            enter(view, statements, isOwnDecision: isOwnDecision, in: environment)
        case .evidence(let device): if isActive { distrust(device) }
        case .hint: startReading()
        case .time: continueAfterTime(in: environment)
        case .answer(let answer): take(answer, in: environment)
        }
        advance(in: environment)
        flush()
        return effects
    }

    /// Takes every step that is possible now.
    private mutating func advance(in environment: some ReplicaEnvironment) {
        guard isActive else { return }
        if meetChanges(in: environment), applyPending(in: environment) { continueReading(in: environment) }
        readBeforePublishing(in: environment)
        collectGarbage(in: environment)
        if !isAccused {
            continueSnapshot(in: environment)
            writeSnapshotIfNeeded(in: environment)
            publishIfNeeded(in: environment)
        }
        watchRoom()
        flush()
        scheduleWake()
    }

    private mutating func take(_ answer: StoreAnswer, in environment: some ReplicaEnvironment) {
        guard isActive else { return }
        switch answer {
        case .heads(let heads): read(heads, in: environment)
        case .segments(let segments): read(segments, in: environment)
        case .snapshotPart(let device, let number, let part, let found):
            read(found, .snapshotPart(device, number: number, part: part), in: environment)
        case .ownHead(let head): compare(head)
        case .objects(let device, let names): audit(device, names)
        case .created(let names): noteCreated(names)
        case .ownObject(let name, let hash): compare(name, hash)
        case .taken(let name): contest(name)
        case .headWritten(let number): noteHeadWritten(number)
        case .failed: postpone()
        }
    }

    /// True while the device takes part: it is a member with a passcode, and has not found out that it is a copy.
    package var isActive: Bool {
        guard lockState.reads, circle.members.contains(state.device) else { return false }
        return !isDuplicated
    }

    var isDuplicated: Bool { state.duplicated.contains(state.device) }

    // MARK: The open transaction

    mutating func record(_ change: TableChange) {
        state.apply(change)
        mayCollect = true
        open.append(change)
    }

    mutating func record(_ item: KnownItem?, _ name: ItemName, in environment: some ReplicaEnvironment) {
        let old = state.items[name]
        index.replace(old, by: item, name, in: environment)
        if item?.dot == nil, item != nil, let old, old.dot != nil {
            record(.replaced(name, old))
        } else if state.replaced[name] != nil, item?.dot != nil || item == nil {
            record(.replaced(name, nil))
        }
        record(.item(name, item))
    }

    mutating func recordRow(_ name: ItemName, _ content: ItemContent?) {
        writtenRows[name] = .some(content)
        record(.row(name, content))
    }

    /// Ends the open transaction: its changes are committed together.
    mutating func flush() {
        guard !open.isEmpty else { return }
        effects.append(.commit(ReplicaTransaction(changes: open)))
        open.removeAll()
    }

    /// Adds an effect that may depend on what was recorded before.
    mutating func emit(_ effect: ReplicaEffect) {
        flush()
        effects.append(effect)
    }

    /// Returns the names of the items that have rows.
    func rows(of names: some Collection<ItemName>) -> ArraySlice<ItemName> {
        names.filter { state.items[$0]?.state == .live }[...]
    }

    func content(of name: ItemName, in environment: some ReplicaEnvironment) -> ItemContent? {
        writtenRows[name] ?? environment.content(of: name)
    }
}
