extension SyncReplica {
    mutating func take(_ changes: [LocalChange]) {
        if state.hasJoined {
            waiting += changes
        } else {
            takeBeforeJoining(changes)
        }
    }

    /// Gives versions to the local changes that wait for one.
    ///
    /// A change gets its version when the replica hears of it, not when it is sealed: otherwise the second change of a device that was
    /// offline for a year would win over everything that happened in that year.
    mutating func giveVersions(in environment: some ReplicaEnvironment) {
        guard !waiting.isEmpty, state.hasJoined, lockState.opens(.c) else { return }
        guard let epoch = epochToWrite?.number else { return }
        var noted: [ItemName] = []
        for (position, change) in waiting.enumerated() {
            guard note(change, epoch, in: environment) else {
                waiting.removeFirst(position)
                // A later change of the same item still waits: after a crash it has to be reported again.
                let unversioned = Set(waiting.flatMap(\.names))
                for name in noted where !unversioned.contains(name) { record(.noted(name)) }
                askForEpoch()
                return
            }
            noted += change.names
        }
        for name in noted { record(.noted(name)) }
        waiting.removeAll()
        renewals.removeAll()
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

    /// - Returns: false if the epoch has no version left.
    private mutating func note(
        _ change: LocalChange, _ epoch: EpochNumber, in environment: some ReplicaEnvironment
    ) -> Bool {
        var clock = state.clock
        switch change {
        case .put(let name, let content):
            guard let version = nextVersion(of: name, &clock, epoch) else { return false }
            write(version, content, to: name, in: environment)
        case .delete(let name, leavesTombstone: true):
            guard state.items[name] != nil else { break }
            guard let version = nextVersion(of: name, &clock, epoch) else { return false }
            write(version, nil, to: name, in: environment)
        case .delete(let name, leavesTombstone: false):
            markAbsent(name, in: environment)
        case .rename(let old, let new, let content):
            // Both have their versions before anything is written, so half a change is never published.
            guard let first = nextVersion(of: old, &clock, epoch), let second = nextVersion(of: new, &clock, epoch)
            else { return false }
            if state.items[old] != nil {
                write(first, nil, to: old, in: environment)
                publication.partners[old] = new
                publication.partners[new] = old
            }
            write(second, content, to: new, in: environment)
        }
        if clock != state.clock { record(.clock(clock)) }
        return true
    }

    private func nextVersion(of name: ItemName, _ clock: inout DeviceClock, _ epoch: EpochNumber) -> ItemVersion? {
        if !rules.testOnlyDeviceClock {
            var own = state.items[name].map { DeviceClock($0.version) } ?? DeviceClock(epoch: epoch)
            return own.next(in: epoch, wallClock: now.wallClock, device: state.device)
        }
        return clock.next(in: epoch, wallClock: now.wallClock, device: state.device)
    }

    private mutating func write(
        _ version: ItemVersion, _ content: ItemContent?, to name: ItemName, in environment: some ReplicaEnvironment
    ) {
        let old = state.items[name]
        // A version that no other device has seen cannot be a base: versions written beside it would pass for known.
        let base = old.flatMap { $0.dot == nil ? $0.base : $0.version }
        let item = KnownItem(
            version: version, base: base, dot: nil, state: content == nil ? .gone : .live, zone: content?.zone ?? .c,
            digest: content?.digest)
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
