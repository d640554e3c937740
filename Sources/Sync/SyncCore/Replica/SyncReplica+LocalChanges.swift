extension SyncReplica {
    mutating func take(_ changes: [StampedChange]) {
        waiting.forget(Set(changes.flatMap(\.change.names)))
        for reported in changes {
            switch reported.stamp {
            case .none(let isRestored): takeUnversioned(reported.change, isRestored: isRestored)
            case .made, .awaitsEpoch, .testOnlyWhenMet:
                if state.hasJoined || !rules.testOnlyJoiningDropsVersions {
                    waiting.add(reported)
                } else {
                    takeUnversioned(reported.change, isRestored: false)
                }
            }
        }
    }

    /// Takes a change without a version.
    ///
    /// A deletion of an item that the circle is not known to have only takes back the local item: joining deletes nothing.
    private mutating func takeUnversioned(_ change: LocalChange, isRestored: Bool) {
        for part in change.parts {
            switch part {
            case .put(let name, let content), .rename(_, let name, let content):
                waiting.set(.init(kind: .put(content), isRestored: isRestored), of: name)
                reading.isCurrent = false
            case .delete(let name, _) where state.items[name] == nil: note(name)
            case .delete(let name, let leavesTombstone):
                waiting.set(.init(kind: .delete(leavesTombstone: leavesTombstone)), of: name)
            }
        }
    }

    /// True while a call of this device has to come into the items before anything is applied: it could not be told apart from a change of
    /// the version that comes in.
    var isHeldUp: Bool { !waiting.calls.isEmpty }

    /// Returns true if what other devices wrote may be applied: every call of this device is in the items, or has a name at least.
    func mayApply(_ zone: ZoneClass?, in environment: some ReplicaEnvironment) -> Bool {
        guard isActive, !isHeldUp else { return false }
        guard state.hasJoined, rules.testOnlyWaitsForNames else { return true }
        if zone == .a, !rules.testOnlyZoneAWaitsForNames { return true }
        return !environment.hasCallWithoutName
    }

    /// Returns true if no call is without a name: it may be one of the item that gets a version.
    func namesCalls(in environment: some ReplicaEnvironment) -> Bool {
        !rules.testOnlyWaitsForNames || !environment.hasCallWithoutName
    }

    /// Brings the calls that have versions into the items.
    /// - Returns: true if something was in the way of what comes in, and is not any more.
    mutating func meetChanges(in environment: some ReplicaEnvironment) -> Bool {
        guard state.hasJoined || isHeldUp, lockState.opens(.c) else { return false }
        if state.hasJoined { meetUnversioned(in: environment) }
        guard isHeldUp else { return false }
        var noted: Set<ItemName> = []
        for call in waiting.takeCalls() {
            // A later change of the same item still waits: after a crash it has to be reported again.
            if isHeldUp || !meet(call, in: environment) {
                waiting.add(call)
                noted.subtract(call.change.names)
            } else {
                noted.formUnion(call.change.names)
            }
        }
        for name in noted.sorted() { record(.noted(name)) }
        if waiting.calls.first?.stamp == .testOnlyWhenMet || needsEpoch { askForEpoch() }
        return !isHeldUp
    }

    /// True if a call waits for an epoch that does not exist. Where it is known, its version has been made, and is reported next.
    private var needsEpoch: Bool {
        waiting.calls.contains { call in
            guard case .awaitsEpoch(let full) = call.stamp else { return false }
            return full >= max(circle.writingEpoch?.number ?? .first, state.clock.epoch)
        }
    }

    /// Deals with the changes without a version that do not wait for their segment.
    private mutating func meetUnversioned(in environment: some ReplicaEnvironment) {
        guard waiting.hasUnversioned else { return }
        var renewed: [(name: ItemName, content: ItemContent)] = []
        for (name, change) in waiting.inOrder {
            switch change.kind {
            case .delete(leavesTombstone: false):
                markAbsent(name, in: environment)
                note(name)
            case .put(let content) where change.isRenewal || !rules.testOnlyUnversionedWaits:
                renewed.append((name, content))
            case .put, .delete: continue
            }
        }
        guard namesCalls(in: environment), let versions = newVersions(renewed.count, in: environment) else { return }
        for ((name, content), version) in zip(renewed, versions) {
            record(.versioned(name))
            write(version, content, to: name, in: environment)
            note(name)
        }
    }

    /// Notes that a change without a version is dealt with.
    mutating func note(_ name: ItemName) {
        waiting.remove(name)
        record(.noted(name))
    }

    /// Has the store read before something without a version is published: it may lose to what is there.
    mutating func readBeforePublishing(in environment: some ReplicaEnvironment) {
        guard waiting.hasUnversioned, state.hasJoined, lockState.opens(.c) else { return }
        guard mayApply(nil, in: environment) else { return }
        if !reading.isCurrent, reading.step == .idle { startReading() }
    }

    /// Versions of now, for what gets them with its segment. Nil if there is no epoch for them, and if they could not
    /// be stored, which is tried again later.
    mutating func newVersions(_ count: Int, in environment: some ReplicaEnvironment) -> [ItemVersion]? {
        guard count > 0 else { return [] }
        guard let epoch = epochToWrite?.number else { return nil }
        switch environment.makeVersions(count, in: epoch, after: state.clock, wallClock: now.wallClock) {
        case .made(let clocks):
            if let last = clocks.last { raiseClock(to: last) }
            return clocks.map { $0.version(of: state.device) }
        case .needsEpoch: askForEpoch()
        case .failed: publication.lacksKey = true
        }
        return nil
    }

    /// Moves the stored clock to `clock` if that is later. A call may have moved it further.
    mutating func raiseClock(to clock: DeviceClock) {
        if clock > state.clock { record(.clock(clock)) }
    }

    /// The epoch for new versions and segments. Asks for one if there is none, or if it is older than the clock.
    var epochToWrite: EpochName? {
        mutating get {
            guard let epoch = circle.writingEpoch, epoch.number >= state.clock.epoch else {
                askForEpoch()
                return nil
            }
            return epoch
        }
    }

    mutating func askForEpoch() {
        guard !asksForEpoch else { return }
        asksForEpoch = true
        emit(.createEpoch)
    }

    /// - Returns: false if the change has no version yet.
    private mutating func meet(_ call: StampedChange, in environment: some ReplicaEnvironment) -> Bool {
        if case .delete(let name, leavesTombstone: false) = call.change {
            markAbsent(name, in: environment)
            return true
        }
        guard let version = version(of: call) else { return false }
        switch call.change {
        case .put(let name, let content): write(version, content, to: name, in: environment)
        case .delete(let name, _): delete(name, version, in: environment)
        case .rename(let old, let new, let content):
            delete(old, version, in: environment)
            if state.items[old] != nil {
                publication.partners[old] = new
                publication.partners[new] = old
            }
            write(version, content, to: new, in: environment)
        }
        raiseClock(to: DeviceClock(version))
        return true
    }

    private mutating func version(of call: StampedChange) -> ItemVersion? {
        switch call.stamp {
        case .made(let clock): return clock.version(of: state.device)
        case .awaitsEpoch, .none: return nil
        case .testOnlyWhenMet:
            guard let epoch = epochToWrite?.number else { return nil }
            var clock = state.clock
            return clock.next(in: epoch, wallClock: now.wallClock).map { $0.version(of: state.device) }
        }
    }

    /// A deletion of an item that never left this device leaves nothing.
    private mutating func delete(_ name: ItemName, _ version: ItemVersion, in environment: some ReplicaEnvironment) {
        guard let item = state.items[name] else { return }
        if item.dot == nil, state.replaced[name] == nil, item.state != .gone {
            return record(nil, name, in: environment)
        }
        write(version, nil, to: name, in: environment)
    }

    private mutating func write(
        _ version: ItemVersion, _ content: ItemContent?, to name: ItemName, in environment: some ReplicaEnvironment
    ) {
        let old = state.items[name]
        if let old, version <= old.version, rules.testOnlyKeptVersionsLose {
            return lose(version, content, to: name, old, in: environment)
        }
        let item = KnownItem(
            version: version, base: base(over: old), dot: nil, state: content == nil ? .gone : .live,
            zone: content?.zone ?? .c, digest: content?.digest)
        record(item, name, in: environment)
    }

    /// A version that no other device has seen cannot be a base: versions written beside it would pass for known.
    func base(over old: KnownItem?) -> ItemVersion? {
        old.flatMap { $0.dot == nil ? $0.base : $0.version }
    }

    /// A call loses like a version that was received. It is never needed: nothing is applied while a call has no name or is not met, and
    /// what was applied before has raised the clock of the call.
    private mutating func lose(
        _ version: ItemVersion, _ content: ItemContent?, to name: ItemName, _ old: KnownItem,
        in environment: some ReplicaEnvironment
    ) {
        if content != nil {
            keepRow(name, version, .overruled)
            recordRow(name, nil)
        }
        guard old.state == .live else { return }
        var item = old
        // The row is that of the call, or gone. The same version with its content restores the item.
        item.state = .missing
        record(item, name, in: environment)
    }

    private mutating func markAbsent(_ name: ItemName, in environment: some ReplicaEnvironment) {
        guard var item = state.items[name], item.isAlive else { return }
        if item.dot == nil {
            // The version never left this device. The circle still has the one that it replaced.
            guard let replaced = state.replaced[name] else { return record(nil, name, in: environment) }
            item = replaced
            if !item.isAlive { return record(item, name, in: environment) }
        }
        item.state = .absentHere
        record(item, name, in: environment)
    }
}
