extension SyncReplica {
    /// The epoch to write in, as far as the replica has heard; nil if there is none.
    package var writingEpoch: EpochName? { circle.writingEpoch }

    mutating func enter(_ lockState: SyncLockState, in environment: some ReplicaEnvironment) {
        let couldOpen = PerZone(a: self.lockState.opens(.a), c: self.lockState.opens(.c))
        self.lockState = lockState
        guard isActive, couldOpen != PerZone(a: lockState.opens(.a), c: lockState.opens(.c)) else { return }
        publication.mayDiffer = true
        publication.lacksKey = false
        reading.unopenedSnapshots.removeAll()
        adoptOrphans(in: environment)
        applyPending(in: environment)
        continueReading(in: environment)
    }

    mutating func enter(
        _ view: CircleView, _ statements: Set<ObjectHash>, isOwnDecision: Bool, in environment: some ReplicaEnvironment
    ) {
        let removed = Set(view.removed.keys).subtracting(circle.removed.keys)
        let left = circle.members.subtracting(view.members)
        if view.writingEpoch != circle.writingEpoch {
            asksForEpoch = false
            publication.epochTurnAt = nil
            // Without an epoch to write in no head could be sealed, and the next attempt was put off.
            if publication.step == .idle { publication.retriesAt = 0 }
        }
        circle = view
        self.statements = statements
        writing.mayBeNeeded = true
        mayCollect = true
        publication.mayDiffer = true
        publication.lacksKey = false
        reading.unopenedSnapshots.removeAll()
        for dot in state.pending.keys where removed.contains(dot.stream.device) { record(.pending(dot, nil)) }
        for device in left { clearAlarms(of: device) }
        if isOwnDecision, removed.isEmpty || rules.testOnlyRemovalSnapshot { record(.owesSnapshot(true)) }
        raiseDuplicated()
        guard isActive else { return }
        if let epoch = view.writingEpoch?.number, rules.testOnlyEpochRaisesClock {
            raiseClock(to: DeviceClock(epoch: epoch))
        }
        adoptOrphans(in: environment)
        applyPending(in: environment)
        startReading()
    }

    /// Publishes again, with its version, each current record that no other member will get: what a device has beyond what a removal
    /// counts, and what only a snapshot brought that cannot be loaded to its end any more.
    mutating func adoptOrphans(in environment: some ReplicaEnvironment) {
        guard rules.testOnlyAdoption, isActive else { return }
        // Asked at each unlock: mostly every item is of a member, and none has to be looked at.
        guard index.authors.keys.contains(where: { !circle.members.contains($0) }) else { return }
        let orphans = state.items.filter { $0.value.dot.map(isLeftBehind) ?? false }
        // In an order that every run has: versions are given in it.
        for (name, item) in orphans.sorted(by: { $0.key < $1.key }) where !waiting.contains(name) {
            guard let dot = item.dot else { continue }
            if item.state == .missing || item.state == .absentHere {
                // No member has the content, and the vector does not cover the item.
                if isStranded(dot) { record(nil, name, in: environment) }
            } else if state.hasJoined {
                var adopted = item
                adopted.dot = nil
                record(adopted, name, in: environment)
            } else if item.state == .live {
                makeLocal(name, item, in: environment)
            }
        }
    }

    /// A record that the circle may have deleted meanwhile counts as a local change: with its old version it could come back beside a
    /// tombstone that the members have forgotten.
    ///
    /// The version stays known until the change has its own. It may have replaced one that the vector covers: without it, an older
    /// record would be taken for the current one.
    private mutating func makeLocal(_ name: ItemName, _ item: KnownItem, in environment: some ReplicaEnvironment) {
        guard lockState.opens(item.zone), let content = content(of: name, in: environment) else { return }
        waiting.set(.init(kind: .put(content), isRenewal: true), of: name)
    }

    /// True if nothing is lost when this device leaves: its changes are published, and a member that has joined has applied all of them.
    /// Members do not read the streams of a device that left any further.
    package var hasPassedOnAll: Bool {
        guard index.unpublished.isEmpty, waiting.isEmpty else { return false }
        return otherMembers.isEmpty
            || otherMembers.contains { member in
                guard let body = state.seen[member]?.body, body.hasJoined else { return false }
                return ZoneClass.allCases.allSatisfy { zone in
                    let own = StreamIdentifier(state.device, zone)
                    return body.vector[own] >= state.vector[own]
                }
            }
    }

    /// Returns true if members that have not read the segment never will.
    private func isOrphan(_ dot: Dot) -> Bool {
        let device = dot.stream.device
        if circle.members.contains(device) { return false }
        return dot.number > circle.removed[device]?[dot.stream.zone] ?? 0
    }

    /// Returns true if no other member will get the record by its segment.
    func isLeftBehind(_ dot: Dot) -> Bool { isOrphan(dot) || isStranded(dot) }

    /// Returns true if a snapshot brought the record, its author is not a member any more, and no member is known to have the segment: none
    /// can write a snapshot with which this device would have it.
    private func isStranded(_ dot: Dot) -> Bool {
        if circle.members.contains(dot.stream.device) || state.vector.covers(dot) { return false }
        return otherMembers.allSatisfy { member in
            guard let body = state.seen[member]?.body else { return false }
            return !body.vector.covers(dot)
        }
    }

    /// Returns true if this device can read further segments of the device.
    func isRead(_ device: DeviceIdentifier) -> Bool {
        guard device != state.device, circle.members.contains(device) else { return false }
        return !state.duplicated.contains(device)
    }
}
