internal import LatchkeyEnclaveContract
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySecretMemory
package import LatchkeySyncCore
internal import LatchkeySyncIdentity
internal import LatchkeySyncKeys
package import LatchkeySyncStore

/// The sync of one device: gives events to the replica, and performs its effects on the item database and the store.
///
/// Nothing runs by itself. The owner calls one function at a time, from one thread at a time, when programs have changed items, the
/// lock state has changed, the store has given a hint, or ``wakesAt`` has come.
package final class SyncEngine {
    let parts: SyncParts
    let identity: EnclaveIdentity
    let environment: SyncEnvironment
    let store: any SyncStore
    /// The stored head of this device, as it was read last: the next head replaces no other one.
    var replacedHead: HeadMark?
    private(set) var replica: SyncReplica
    var queue: [SyncWork] = []
    private var isRunning = false
    /// The number of the last change of programs that is in the queue, or was.
    private var lastChange: Int64 = 0
    /// The number of the last change of programs that the replica was told.
    private var told: Int64 = 0
    /// The last change without a name when rows were named last; nil if that did not come to an end.
    var unnamedAtNaming: Int64?
    /// Transactions that are committed with the next one. Nothing outside of this device depends on them yet.
    private var held: [(transaction: ReplicaTransaction, contents: TransactionContents)] = []
    /// The replica has more than what is committed: it must not go on.
    private var isStale = false
    /// An epoch that is wanted, and was not written yet.
    var owedEpoch: OwedEpoch?
    /// The enclave's key epoch at which the keys were taken.
    var keysEpoch: UInt64?
    /// This device has just admitted or removed a device.
    private var hasDecided = false
    private var restartsLeft = 0
    var statementSieve = ObjectSieve()
    /// The heads of the last exchange, as they were read.
    var lastHeads: [StoreObjectName: KnownHead] = [:]
    var evidenceSieve = ObjectSieve()
    /// The uptime at which evidence is looked for again.
    var evidenceAt: UInt64 = 0
    /// The uptime at which objects are read back again; nil before the first exchange.
    var readsBackAt: UInt64?
    /// The object that was read back last.
    var readBackTo: StoreObjectName?

    /// The uptime, in microseconds, at which ``wake()`` is to be called. Nil if nothing waits for a time.
    package private(set) var wakesAt: UInt64?
    package private(set) var alarms: Set<SyncAlarm> = []
    private var raisedAlarms: Set<SyncAlarm> = []
    /// Grows with everything that this device stores or writes: two equal numbers say that it had nothing to do in between.
    package internal(set) var progress: UInt64 = 0
    /// The number of rows that other devices have changed or removed here since this engine was made.
    package private(set) var remoteChanges: UInt64 = 0
    /// The failures of the last question to the store, and of the last write, if they failed. A folder may be readable alone.
    var readFailure: StoreFailure?
    var writeFailure: StoreFailure?
    /// A write that failed counts while something is not stored: it may have been done, and its answer lost.
    package var storeFailure: StoreFailure? { (replica.isAtRest ? nil : writeFailure) ?? readFailure }

    /// Opens the circle of this device; nil if it is in none.
    package init?(_ parts: SyncParts) throws {
        guard let membership = try parts.items.read({ try SyncMembership($0) }) else { return nil }
        guard let bytes = try parts.items.read({ try $0.syncValue(named: CircleValue.identity) }),
            let record = IdentityRecord(bytes)
        else { throw DamagedTable(table: "syncvalues") }
        self.parts = parts
        identity = EnclaveIdentity(record, enclave: parts.enclave)
        environment = SyncEnvironment(
            membership, shared: parts.items, signer: StatementSigner(identity), description: parts.description,
            entropy: parts.entropy)
        store = parts.stores.store(of: membership.graph.circle, writer: membership.device)
        replica = try Self.replica(of: membership.device, parts)
        run { begin() }
    }

    package var circle: CircleIdentifier { environment.circle }
    package var device: DeviceIdentifier { environment.device }
    package var membership: MembershipState { environment.membership }
    package var state: ReplicaState { replica.state }
    var vault: KeyringVault { environment.vault }
    /// True while events were left for ``goOn()``.
    package var hasLeftWork: Bool { !queue.isEmpty }
    /// True if every change of this device is in the store, and everything that the store showed is applied.
    package var isSettled: Bool {
        !hasLeftWork && replica.isAtRest && storeFailure == nil && !isStale && keysEpoch == parts.enclave.keyEpoch
            && owedEpoch == nil
    }
    /// False for a device that has left the circle, has no passcode, or runs twice: it exchanges statements alone.
    package var isTakingPart: Bool { replica.isActive }
    /// True if nothing is lost when this device leaves.
    package var hasPassedOnAll: Bool { !hasLeftWork && replica.hasPassedOnAll }
    /// The number of changes of programs that the store is not known to have.
    package var waitingChanges: Int { replica.unstoredChanges }
    /// True while this device has not taken over the state of the circle, and publishes nothing of its own.
    package var isJoining: Bool { membership.members.contains(device) && !replica.state.hasJoined }

    /// Returns the alarms that were raised since the last call: one may have ended in the same exchange.
    package func takeRaisedAlarms() -> Set<SyncAlarm> {
        defer { raisedAlarms = [] }
        return raisedAlarms
    }

    // MARK: Events

    /// Takes the lock state as it is now.
    package func lockStateChanged() {
        run {
            takeKeys()
            writeOwedEpoch()
            // The rows of a joining device that open now are reported with their dates: the newer of two items wins.
            if isJoining { lastChange = 0 }
            // Before anything that the lock state lets the replica apply: a change without a version must not meet a record.
            queue.append(.report)
            enqueue(.locked(parts.lockState))
            enqueue(circleEvent)
        }
    }

    /// Takes what programs have changed.
    package func itemsChanged() {
        run { queue.append(.report) }
    }

    /// Looks for what other devices have written.
    package func exchange() {
        run {
            queue.append(.report)
            enqueue(.hint)
        }
    }

    /// Handles statements that are known now.
    func circleChanged() {
        run {
            writeOwedEpoch()
            enqueue(circleEvent)
        }
    }

    /// The time of ``wakesAt`` has come.
    package func wake() {
        run {
            wakesAt = nil
            writeOwedEpoch()
            enqueue(.time)
        }
    }

    /// Does what was left.
    package func goOn() {
        run {}
    }

    /// Handles a decision of this device: its statement is stored and known. Events that were left before stay so.
    /// - Parameter owesSnapshot: true for an admission or a removal.
    func decided(owesSnapshot: Bool) {
        run(leaving: hasLeftWork) {
            hasDecided = hasDecided || owesSnapshot
            takeKeys()
            enqueue(circleEvent)
        }
    }

    /// Tells a new replica everything.
    private func begin() {
        takeKeys()
        enqueue(.locked(parts.lockState))
        // Reported before anything is read: a change without a version must not meet a record.
        queue.append(.report)
        enqueue(circleEvent)
        enqueue(.hint)
    }

    /// The circle as the statements have it now.
    var circleEvent: ReplicaEvent {
        .circle(
            membership.view, statements: Set(environment.graph.statements.map(\.hash)), isOwnDecision: hasDecided)
    }

    /// Handles events until there are none, or until a caller waits for the circle.
    /// - Parameter leaves: true to leave them all for later.
    private func run(leaving leaves: Bool = false, _ first: () -> Void) {
        guard !isRunning else { return first() }
        isRunning = true
        defer { isRunning = false }
        restartsLeft = 3
        if isStale { restart() }
        guard !isStale else { return queue.removeAll() }
        if keysEpoch.map({ $0 != parts.enclave.keyEpoch }) ?? false { takeKeys() }
        first()
        guard !leaves else { return }
        // One at least: two callers that wait for each other must come to an end.
        var isFirst = true
        while true {
            while !queue.isEmpty, isFirst || !parts.isAwaited() {
                isFirst = false
                // The lock state may change between two events.
                if keysEpoch != parts.enclave.keyEpoch {
                    queue.insert(.event(QueuedEvent(event: .locked(parts.lockState))), at: 0)
                    takeKeys()
                }
                perform(queue.removeFirst())
            }
            guard !commitHeld() else { return }
            // Here, and not in the next run: a disk that stays full ends the restarts of this one.
            restart()
        }
    }

    func enqueue(_ event: ReplicaEvent) { queue.append(.event(QueuedEvent(event: event))) }

    private func perform(_ work: SyncWork) {
        switch work {
        case .names(let place): nameRows(after: place)
        case .report:
            queue.insert(.reportNamed, at: 0)
            nameLateRows()
        case .reportNamed: reportChanges()
        case .changes(let rows):
            environment.expect(rows.compactMap { $0.kind == .put ? ItemName($0.name) : nil }[...])
            let changes = LocalChanges(
                rows, content: { [environment] in environment.content(of: $0) },
                modified: { [parts] name in
                    let date = try? parts.items.read { try $0.modificationDate(ofRowNamed: name.bytes) }
                    return UInt64(clamping: (date ?? nil) ?? 0)
                }
            ).changes
            environment.expect([])
            handle(QueuedEvent(event: .changed(changes), told: rows.last?.number))
            nameAfterChanges()
        case .event(let event): handle(event)
        }
    }

    private func handle(_ queued: QueuedEvent) {
        if case .circle = queued.event { hasDecided = false }
        // A report that is made again begins with changes that the replica has heard of.
        if let told = queued.told { self.told = max(self.told, told) }
        environment.beginEvent(with: queued.objects)
        defer { environment.endEvent() }
        let effects = replica.handle(queued.event, at: parts.now, in: environment)
        if environment.takeHasVersions() { reportAgain() }
        // Opened plaintexts stay no longer than the last transaction: the store may take its time.
        let end = effects.lastIndex { if case .commit = $0 { true } else { false } }.map { $0 + 1 } ?? 0
        for (index, effect) in effects.enumerated() {
            if index == end { environment.endEvent() }
            guard perform(effect) else { return restart() }
        }
    }

    /// Discards the replica and begins again with what is committed, as after a crash.
    private func restart() {
        queue.removeAll()
        held.removeAll()
        isStale = true
        environment.forgetSealed()
        guard restartsLeft > 0,
            let begun = try? Self.replica(of: device, parts)
        else {
            // The disk may be full, or a program may change one item all the time.
            wakesAt = parts.now.uptime + ReplicaLimits.minute
            return
        }
        restartsLeft -= 1
        replica = begun
        isStale = false
        (lastChange, told) = (0, 0)
        owedEpoch = nil
        wakesAt = nil
        begin()
    }

    private static func replica(of device: DeviceIdentifier, _ parts: SyncParts) throws -> SyncReplica {
        var state = try parts.items.read { try SyncTables.state(of: device, in: $0) }
        state.forgetUptimes(after: parts.now.uptime)
        return SyncReplica(state, limits: parts.limits)
    }

    // MARK: Changes of programs

    /// The changes that are looked for at a time.
    private static let changesOfReport = 2_048

    /// Tells the replica again what waits: calls that waited for an epoch have their versions, and it knows the epoch by then.
    func reportAgain() {
        lastChange = 0
        enqueue(circleEvent)
        queue.append(.report)
    }

    /// Looks for a part of the changes, and for the next one behind it: before anything else, because a change without a version must not
    /// meet a record.
    private func reportChanges() {
        let page = Self.changesOfReport
        guard
            let rows = try? parts.items.read({ [lastChange] in try $0.syncChanges(after: lastChange, about: page) }),
            !rows.isEmpty
        else { return }
        lastChange = rows.map(\.number).max() ?? lastChange
        let more = rows.count < page ? [] : [SyncWork.reportNamed]
        queue.insert(contentsOf: LocalChanges.portions(of: rows).map(SyncWork.changes) + more, at: 0)
    }

    // MARK: Effects

    /// - Returns: false if a transaction was not committed.
    private func perform(_ effect: ReplicaEffect) -> Bool {
        guard !effect.leavesDevice || commitHeld() else { return false }
        switch effect {
        case .commit(let transaction):
            progress += 1
            return transaction.isNotes ? hold(transaction) : commit(transaction)
        case .read(let question):
            let events = answers(to: question)
            let objects = environment.takeReceived()
            queue += events.map { .event(QueuedEvent(event: $0, objects: objects)) }
        case .create(let objects):
            progress += 1
            enqueue(.answer(create(objects)))
        case .writeHead(let head): enqueue(.answer(publish(head)))
        case .remove(let names): _ = try? store.remove(names.map(StoreObjectName.init))
        case .createEpoch:
            owedEpoch = OwedEpoch(former: replica.writingEpoch)
            writeOwedEpoch()
        case .goOn: enqueue(.time)
        case .wake(let time): wakesAt = time
        case .raise(let alarm):
            alarms.insert(alarm)
            raisedAlarms.insert(alarm)
        case .clear(let alarm): alarms.remove(alarm)
        case .report(let contradiction): publish(contradiction)
        }
        return true
    }

    /// Leaves the transaction for the next one, which mostly follows at once: each costs a write that waits for the disk.
    private func hold(_ transaction: ReplicaTransaction) -> Bool {
        var contents = TransactionContents()
        for case .seen(let head) in transaction.changes { contents.bytes[head.hash] = environment.bytes[head.hash] }
        held.append((transaction, contents))
        return true
    }

    /// - Returns: false if they were not committed.
    private func commitHeld() -> Bool {
        guard !held.isEmpty else { return true }
        do {
            try commit([])
            return true
        } catch {
            return false
        }
    }

    /// Commits what was held, and then those that are added.
    private func commit(_ added: [(transaction: ReplicaTransaction, contents: TransactionContents)]) throws {
        let all = held + added
        let names = all.reduce(into: Set()) { $0.formUnion(SyncTables.rowNames(of: $1.transaction)) }
        let needsNames = all.contains { $0.transaction.needsNames }
        var hasVersions = false
        try parts.items.commit(names, knowing: told, needsNames: needsNames) { [device] rows, writer in
            hasVersions = false
            for (transaction, contents) in all {
                if try SyncTables.commit(transaction, of: device, contents, rows, writer) { hasVersions = true }
            }
        }
        held.removeAll()
        if hasVersions { reportAgain() }
    }

    private func commit(_ transaction: ReplicaTransaction) -> Bool {
        var contents = TransactionContents()
        contents.bytes = environment.bytes
        contents.lastChange = told
        do {
            for (position, change) in transaction.changes.enumerated() {
                switch change {
                case .row(let name, let content?):
                    guard let item = environment.item(at: content.place, named: name) else { return false }
                    contents.items[name] = try parts.items.prepared(item)
                case .item(let name, let item?):
                    contents.versions[name] = item.version
                    if item.state == .gone { contents.deletions[name] = item.version }
                case .conflict(let version):
                    guard case .record(let content) = version.source else { continue }
                    guard let item = environment.item(at: content.place, named: version.name) else { return false }
                    contents.conflicts[position] = try parts.items.prepared(item)
                default: continue
                }
            }
            try commit([(transaction, contents)])
            for case .row in transaction.changes { remoteChanges += 1 }
            return true
        } catch {
            return false
        }
    }
}

/// An epoch that a replica wants.
struct OwedEpoch {
    /// The epoch that it knew; nil if there was none.
    let former: EpochName?
}

extension ReplicaEffect {
    /// True if others may act on what this device has done: what led to it has to be durable before.
    fileprivate var leavesDevice: Bool {
        switch self {
        case .create, .writeHead, .remove, .createEpoch, .report, .read(.ownHead): true
        case .commit, .read, .goOn, .wake, .raise, .clear: false
        }
    }
}

extension ReplicaTransaction {
    /// True for notes about what the store shows. After a crash without them it shows the same, or more.
    fileprivate var isNotes: Bool {
        changes.allSatisfy { change in
            switch change {
            case .seen, .forgotten, .acknowledged, .confirmed: true
            default: false
            }
        }
    }
}
