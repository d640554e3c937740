extension SyncReplica {
    mutating func writeSnapshotIfNeeded(in environment: some ReplicaEnvironment) {
        guard writing.draft == nil, now.uptime >= writing.endsAt else { return }
        updateTurn()
        guard state.owesSnapshot || retainsTooMuch || writing.turnAt.map({ $0 <= now.uptime }) ?? false else { return }
        guard canWriteSnapshot, let epoch = epochToWrite else { return }
        writing.turnAt = nil
        let number = state.snapshotNumber + 1
        record(.snapshotNumber(number))
        writing.draft = SnapshotWriting.Draft(
            number: number, epoch: epoch, vector: state.vector, rest: state.items.keys.sorted()[...])
        continueSnapshot(in: environment)
    }

    /// The contents of both zones are needed, and every version needs its dot.
    var canWriteSnapshot: Bool {
        guard lockState.opens(.a), state.hasJoined, waiting.isEmpty, index.unpublished.isEmpty else { return false }
        return !publication.lacksKey
    }

    var retainsTooMuch: Bool {
        let isMany = state.outbox.count > limits.retainedSegments
        if state.outbox.isEmpty { return false }
        guard let snapshot = state.snapshot else { return isMany || isStoreFull }
        // Another snapshot helps only if it covers more than the last, which has to be read back first.
        guard snapshot.wasReadBack, state.outbox.keys.contains(where: { !snapshot.reference.vector.covers($0) }) else {
            return false
        }
        if isMany || isStoreFull { return true }
        let bytes = state.outbox.values.reduce(0) { $0 + $1.byteCount }
        return bytes > limits.retainedRatio * max(snapshot.byteCount, limits.bytesInSegment)
    }

    /// Finds out if a snapshot is missing, and when this device would write it: the members take turns.
    private mutating func updateTurn() {
        guard writing.mayBeNeeded else { return }
        writing.mayBeNeeded = false
        guard lacksSnapshot else {
            writing.turnAt = nil
            return
        }
        writing.turnAt = writing.turnAt ?? now.uptime + UInt64(rank) * limits.snapshotTurn
    }

    /// Returns true if this device has applied what the store contains neither in segments nor in a snapshot of a member: a member that
    /// was away, or a device that joins with the recovery code, could not get it.
    private var lacksSnapshot: Bool {
        let isMissing = circle.members.contains { author in
            ZoneClass.allCases.contains { zone in
                let first =
                    author == state.device ? state.firsts[zone] : state.seen[author]?.body.streams[zone].first ?? 1
                return first > 1 && lacks(StreamIdentifier(author, zone), first - 1)
            }
        }
        guard !isMissing, rules.testOnlyRemovalSnapshot else { return isMissing }
        // The streams of a removed device are not read any further, and its objects are removed.
        return circle.removed.keys.contains { device in
            ZoneClass.allCases.contains { zone in
                let stream = StreamIdentifier(device, zone)
                let last = state.vector[stream]
                return last > 0 && lacks(stream, last)
            }
        }
    }

    /// Returns true if this device has the segment and no snapshot covers it.
    private func lacks(_ stream: StreamIdentifier, _ number: UInt64) -> Bool {
        let dot = Dot(stream, number)
        return state.vector.covers(dot) && !snapshots.contains { $0.vector.covers(dot) }
    }

    /// The snapshots that the heads of members name, and the own one.
    var snapshots: [SnapshotReference] {
        otherMembers.compactMap { state.seen[$0]?.body.snapshot } + (state.snapshot.map { [$0.reference] } ?? [])
    }

}
