extension SyncReplica {
    /// Forgets what no device can need any more. No rule depends on clocks that agree.
    mutating func collectGarbage(in environment: some ReplicaEnvironment) {
        guard mayCollect, publication.storedHead != nil else { return }
        forgetTombstones(in: environment)
        for zone in ZoneClass.allCases { retireSegments(of: zone) }
        retireSnapshots()
        mayCollect = false
    }

    /// A tombstone is forgotten when every member has applied it, and this device has read all that they had written by then.
    private mutating func forgetTombstones(in environment: some ReplicaEnvironment) {
        // The vector of a snapshot that is being written may cover a tombstone, and not the version that it deleted.
        guard writing.draft == nil else { return }
        guard state.hasJoined, !index.tombstones.isEmpty || !state.knowledge.isEmpty else { return }
        let heads = otherMembers.map { state.seen[$0] }
        if rules.testOnlyKeepsTombstones {
            guard !rules.testOnlyReadsBeforeForgetting || heads.allSatisfy({ hasRead($0) }) else { return }
            guard !rules.testOnlyNeedsStatements || heads.allSatisfy({ knowsStatements(of: $0) }) else { return }
        }
        // The vector of its author is needed as long as a version from before it can arrive, like a tombstone.
        for dot in state.knowledge.keys where heads.allSatisfy({ $0?.body.vector.covers(dot) ?? false }) {
            record(.knowledge(dot, nil))
        }
        for name in index.tombstones {
            guard let item = state.items[name], let dot = item.dot, isStored(dot) else { continue }
            if !rules.testOnlyKeepsTombstones || heads.allSatisfy({ $0?.body.vector.covers(dot) ?? false }) {
                record(.forgottenDeletion(name, at: item.version.time))
                record(nil, name, in: environment)
            }
        }
    }

    /// Returns true if this device has applied what the device of the head had written, and what it had applied of removed devices:
    /// a snapshot from before a deletion could bring that back.
    func hasRead(_ head: Head?) -> Bool {
        guard let head else { return false }
        return hasReadStreams(of: head) && hasReadRemoved(head)
    }

    /// Returns true if this device has applied what the device of the head had written.
    func hasReadStreams(of head: Head) -> Bool {
        ZoneClass.allCases.allSatisfy { zone in
            state.vector[StreamIdentifier(head.device, zone)] >= head.body.streams[zone].last
        }
    }

    /// Returns true if this device has applied what the device of the head had applied of removed devices.
    func hasReadRemoved(_ head: Head) -> Bool {
        guard rules.testOnlyReadsRemovedBeforeForgetting else { return true }
        return circle.removed.keys.allSatisfy { device in
            ZoneClass.allCases.allSatisfy { zone in
                let stream = StreamIdentifier(device, zone)
                return state.vector[stream] >= head.body.vector[stream]
            }
        }
    }

    private func knowsStatements(of head: Head?) -> Bool {
        head?.body.statementHeads.isSubset(of: statements) ?? false
    }

    private func isStored(_ dot: Dot) -> Bool {
        dot.stream.device != state.device || dot.number <= state.confirmed[dot.stream.zone]
    }

    /// An own segment is removed from the store when a snapshot stands for it: an own one that was read back, or that of another member
    /// if every member has applied the segment. The segments and snapshots of the store together always contain every item, so a
    /// recovery code is of use when all devices are lost.
    private mutating func retireSegments(of zone: ZoneClass) {
        let stream = StreamIdentifier(state.device, zone)
        let applied = otherMembers.map { state.seen[$0]?.body.vector[stream] ?? 0 }.min() ?? state.vector[stream]
        let foreign = otherMembers.compactMap { state.seen[$0]?.body.snapshot?.vector[stream] }.max() ?? 0
        let own = state.snapshot.map { $0.wasReadBack ? $0.reference.vector[stream] : 0 } ?? 0
        let covered = rules.testOnlySegmentsNeedSnapshot ? min(applied, max(foreign, own)) : applied
        let last = min(max(covered, min(own, lastWithContent(stream))), publication.stored[zone])
        guard last >= state.firsts[zone] else { return }
        retireSegments(of: zone, through: last)
    }

    /// A device that was restored learns from a snapshot that it had written segments, and has no bytes of them: its head must not name
    /// them, or the others would look for them for ever.
    mutating func retireUnknownSegments(of zone: ZoneClass, by snapshot: SnapshotReference) {
        let stream = StreamIdentifier(state.device, zone)
        guard snapshot.vector[stream] > state.vector[stream] else { return }
        retireSegments(of: zone, through: snapshot.vector[stream])
    }

    private mutating func retireSegments(of zone: ZoneClass, through last: UInt64) {
        let retired = state.outbox.keys.filter { $0.stream.zone == zone && $0.number <= last }
        for dot in retired.sorted() {
            record(.outbox(dot, nil))
            garbage.append(.segment(dot))
        }
        record(.first(zone, last + 1))
        publication.mayDiffer = true
        writing.mayBeNeeded = true
    }

    /// The last own segment before the first whose content this device removed: its own snapshot does not stand for that.
    private func lastWithContent(_ stream: StreamIdentifier) -> UInt64 {
        let withheld = index.withheld.compactMap { name -> UInt64? in
            guard let dot = state.items[name]?.dot, dot.stream == stream else { return nil }
            return dot.number
        }
        return withheld.min().map { $0 - 1 } ?? .max
    }

    private mutating func retireSnapshots() {
        guard let snapshot = state.snapshot, snapshot.wasReadBack, !state.previousSnapshots.isEmpty else { return }
        guard let head = state.head, publication.storedHead == head.number,
            head.body.snapshot == snapshot.reference
        else { return }
        let isOld = now.uptime >= snapshot.writtenAt + limits.previousSnapshotAge
        let retired = state.previousSnapshots.filter { previous in
            isOld
                || otherMembers.allSatisfy { state.seen[$0]?.body.vector.covers(previous.reference.vector) ?? false }
        }
        guard !retired.isEmpty else { return }
        record(.previousSnapshots(state.previousSnapshots.filter { !retired.contains($0) }))
        emit(.remove(retired.flatMap { $0.reference.names(of: state.device) }))
    }
}
