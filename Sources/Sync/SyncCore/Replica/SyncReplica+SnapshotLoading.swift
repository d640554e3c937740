extension SyncReplica {
    /// The snapshot that gives this device what it cannot read as segments any more. Nil if there is none, or if it cannot be opened:
    /// a snapshot is loaded as a whole, because an item that is absent from one zone may have moved to the other.
    func neededSnapshot() -> (device: DeviceIdentifier, number: UInt64)? {
        guard lockState.opens(.a) else { return nil }
        let heads = state.seen.filter { isRead($0.key) }
        guard !heads.isEmpty else { return nil }
        for (stream, number) in needs(heads).sorted(by: { $0.key < $1.key }) {
            for (device, head) in heads.sorted(by: { $0.key < $1.key }) {
                guard let snapshot = head.body.snapshot, !wasAsked(device, snapshot) else { continue }
                guard snapshot.vector[stream] >= number else { continue }
                return (device, snapshot.number)
            }
        }
        return missingContents(heads)
    }

    /// Per stream the number that a snapshot has to cover to be of use.
    private func needs(_ heads: [DeviceIdentifier: Head]) -> [StreamIdentifier: UInt64] {
        var needs: [StreamIdentifier: UInt64] = [:]
        for (device, head) in heads {
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(device, zone)
                let first = head.body.streams[zone].first
                if state.vector[stream] + 1 < first { needs[stream] = first - 1 }
            }
        }
        // Also beyond what a removal counts: a tombstone from there may be forgotten, and only a snapshot tells of its effect.
        for device in circle.removed.keys {
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(device, zone)
                let wanted = heads.values.compactMap { $0.body.snapshot?.vector[stream] }.max() ?? 0
                if state.vector[stream] < wanted { needs[stream] = wanted }
            }
        }
        return needs
    }

    private func wasAsked(_ device: DeviceIdentifier, _ snapshot: SnapshotReference) -> Bool {
        reading.askedSnapshots.contains(.snapshot(device, number: snapshot.number))
    }

    private func missingContents(_ heads: [DeviceIdentifier: Head]) -> (device: DeviceIdentifier, number: UInt64)? {
        let missing = index.withheld.compactMap { name -> Dot? in
            guard let item = state.items[name], item.state == .missing else { return nil }
            return item.dot
        }
        guard !missing.isEmpty else { return nil }
        for (device, head) in heads.sorted(by: { $0.key < $1.key }) {
            guard let snapshot = head.body.snapshot, !wasAsked(device, snapshot) else { continue }
            let name = ObjectName.snapshot(device, number: snapshot.number)
            if reading.loadedSnapshots.contains(name) { continue }
            if missing.contains(where: snapshot.vector.covers) { return (device, snapshot.number) }
        }
        return nil
    }

    mutating func read(
        _ snapshot: Snapshot?, _ device: DeviceIdentifier, _ number: UInt64, in environment: some ReplicaEnvironment
    ) {
        if device == state.device { return noteReadBack(snapshot, number) }
        if let snapshot, isRead(device), lockState.opens(.a), waiting.isEmpty || !state.hasJoined {
            reading.loadedSnapshots.insert(.snapshot(device, number: number))
            load(snapshot, in: environment)
        }
        guard reading.step == .snapshot else { return }
        reading.step = .idle
        continueReading(in: environment)
    }

    /// Loads a snapshot in one transaction.
    private mutating func load(_ snapshot: Snapshot, in environment: some ReplicaEnvironment) {
        flush()
        for entry in snapshot.entries { merge(entry, of: snapshot, in: environment) }
        if rules.testOnlyAbsentMeansDeleted { removeAbsent(from: snapshot, in: environment) }
        for stream in snapshot.vector.streams where snapshot.vector[stream] > state.vector[stream] {
            record(.applied(stream, snapshot.vector[stream], nil))
        }
        for dot in state.pending.keys where state.vector.covers(dot) { record(.pending(dot, nil)) }
        if snapshot.clock > state.clock { record(.clock(snapshot.clock)) }
        finishJoining()
        publication.mayDiffer = true
        adoptOrphans(in: environment)
        flush()
        applyPending(in: environment)
    }

    private mutating func merge(
        _ entry: Snapshot.Entry, of snapshot: Snapshot, in environment: some ReplicaEnvironment
    ) {
        let wasApplied = state.vector.covers(entry.dot)
        let local = state.items[entry.record.name]
        // It was applied and is gone: deleted, and the tombstone is forgotten.
        if local == nil, wasApplied, rules.testOnlySkipsOutdated { return }
        merge(entry.record, at: entry.dot, authorHad: snapshot.vector, wasApplied: wasApplied, in: environment)
        // The author of the snapshot has dealt with every version that it covers.
        if !wasApplied { record(.knowledge(entry.dot, snapshot.vector)) }
    }

    /// A row whose dot the snapshot covers, and whose name it does not contain, was deleted.
    private mutating func removeAbsent(from snapshot: Snapshot, in environment: some ReplicaEnvironment) {
        let names = Set(snapshot.entries.map(\.record.name))
        for (name, item) in state.items where item.isAlive && !names.contains(name) {
            guard let dot = item.dot, snapshot.vector.covers(dot) else { continue }
            // A local item of a joining device is not what the circle deleted.
            if item.state == .live, waitingChange(of: name) == nil {
                keepRow(name, item.version, .deleted)
                recordRow(name, nil)
            }
            record(nil, name, in: environment)
        }
    }
}
