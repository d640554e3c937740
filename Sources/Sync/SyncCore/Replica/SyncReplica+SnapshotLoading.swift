extension SyncReplica {
    /// Asks for the first part of a snapshot that this device needs, or ends the round.
    mutating func startLoading(in environment: some ReplicaEnvironment) {
        guard mayApply(nil, in: environment) else { return endReading(isComplete: false) }
        guard let loading = neededSnapshot() else { return endReading() }
        reading.askedSnapshots.insert(loading.name)
        reading.loading = loading
        askForPart(of: loading)
    }

    private mutating func askForPart(of loading: Reading.Loading) {
        wait(for: .snapshot)
        emit(.read(.snapshotPart(loading.device, number: loading.reference.number, part: loading.parts.count)))
    }

    /// The snapshot that gives this device what it cannot read as segments any more. Nil if there is none, or if it cannot be opened:
    /// a snapshot is loaded as a whole, because an item that is absent from one zone may have moved to the other.
    private func neededSnapshot() -> Reading.Loading? {
        guard lockState.opens(.a) else { return nil }
        let heads = readHeads
        guard !heads.isEmpty else { return nil }
        let needs = needs(heads)
        for stream in needs.streams {
            for head in heads {
                guard let snapshot = head.body.snapshot, mayAsk(head.device, snapshot) else { continue }
                guard snapshot.vector[stream] >= needs[stream] else { continue }
                return Reading.Loading(device: head.device, reference: snapshot)
            }
        }
        return divergedItems(heads) ?? missingContents(heads)
    }

    /// The newest heads of the members that are read, in the order of their devices.
    private var readHeads: [Head] {
        var heads: [Head] = []
        for device in otherMembers where isRead(device) {
            if let head = state.seen[device] { heads.append(head) }
        }
        return heads
    }

    /// The snapshot that a member with other items wrote with the vector that both have.
    private func divergedItems(_ heads: [Head]) -> Reading.Loading? {
        guard !alarms.raised.isEmpty else { return nil }
        for head in heads where alarms.raised.contains(.diverged(head.device)) {
            guard let snapshot = head.body.snapshot, snapshot.vector == state.vector, mayAsk(head.device, snapshot)
            else { continue }
            let loading = Reading.Loading(device: head.device, reference: snapshot, isWhole: true)
            if !reading.unitedSnapshots.contains(loading.name) { return loading }
        }
        return nil
    }

    /// Per stream the number that a snapshot has to cover to be of use.
    private func needs(_ heads: [Head]) -> VersionVector {
        var needs = VersionVector()
        for head in heads {
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(head.device, zone)
                let first = head.body.streams[zone].first
                if state.vector[stream] + 1 < first { needs[stream] = first - 1 }
            }
        }
        // Also beyond what a removal counts: a tombstone from there may be forgotten, and only a snapshot tells of its effect.
        for device in circle.removed.keys {
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(device, zone)
                let wanted = heads.compactMap { $0.body.snapshot?.vector[stream] }.max() ?? 0
                if state.vector[stream] < wanted { needs[stream] = wanted }
            }
        }
        // The store has not shown the next segment for a long time: it may be lost, and a member may have put a snapshot in its place.
        for case .withheld(let stream) in alarms.raised where needs[stream] <= state.vector[stream] {
            needs[stream] = state.vector[stream] + 1
        }
        return needs
    }

    private func mayAsk(_ device: DeviceIdentifier, _ snapshot: SnapshotReference) -> Bool {
        let name = Reading.SnapshotName(device: device, number: snapshot.number)
        guard isBelievable(snapshot.vector) else { return false }
        return !reading.askedSnapshots.contains(name) && reading.unopenedSnapshots[name] ?? 0 <= now.uptime
    }

    /// More segments than a device writes in its life.
    private static let longestJump: UInt64 = 1 << 32

    /// Returns true if every segment that a snapshot counts exists: its author's head names it, or a removal has ended the stream.
    ///
    /// The author of the snapshot could otherwise count what another device has yet to write, and this one would never read it. A head that
    /// the store has not shown yet makes a snapshot wait.
    private func isBelievable(_ vector: VersionVector) -> Bool {
        vector.streams.allSatisfy { stream in
            if stream.device == state.device {
                // A device that was put back goes on behind what the others have of it; numbers must be left for that.
                return vector[stream] <= state.vector[stream] + Self.longestJump
            }
            if circle.removed[stream.device] != nil { return true }
            guard circle.members.contains(stream.device) else { return false }
            let last = state.seen[stream.device]?.body.streams[stream.zone].last ?? 0
            return vector[stream] <= max(last, state.vector[stream])
        }
    }

    private func missingContents(_ heads: [Head]) -> Reading.Loading? {
        guard !index.withheld.isEmpty else { return nil }
        let missing = index.withheld.compactMap { name -> Dot? in
            guard let item = state.items[name], item.state == .missing else { return nil }
            return item.dot
        }
        guard !missing.isEmpty else { return nil }
        for head in heads {
            guard let snapshot = head.body.snapshot, mayAsk(head.device, snapshot) else { continue }
            let loading = Reading.Loading(device: head.device, reference: snapshot)
            if reading.loadedSnapshots.contains(loading.name) { continue }
            if missing.contains(where: snapshot.vector.covers) { return loading }
        }
        return nil
    }

    /// Takes a part of a snapshot: the next of the one that is being loaded, or one of the own that is read back.
    mutating func read(_ part: SealedSnapshotPart?, _ name: ObjectName, in environment: some ReplicaEnvironment) {
        guard case .snapshotPart(let device, let number, let position) = name else { return }
        // An object that was moved to another name is not the one that was asked for.
        let part = part?.name == name ? part : nil
        if device == state.device { return noteReadBack(part, number, position) }
        guard reading.step == .snapshot, let loading = reading.loading, loading.device == device,
            loading.reference.number == number, loading.parts.count == position
        else { return }
        reading.step = .idle
        reading.loading = part.flatMap { merge($0, of: loading, in: environment) }
        if let loading = reading.loading { return askForPart(of: loading) }
        continueReading(in: environment)
    }

    /// Merges a part in a transaction of its own, the last one together with what the whole snapshot says.
    /// - Returns: what is still to be loaded. Nil after the last part, and if the loading ends without it.
    private mutating func merge(
        _ part: SealedSnapshotPart, of loading: Reading.Loading, in environment: some ReplicaEnvironment
    ) -> Reading.Loading? {
        guard isRead(loading.device), lockState.opens(.a), mayApply(nil, in: environment) else { return nil }
        guard let opened = open(part, of: loading, in: environment) else { return nil }
        var loading = loading
        loading.parts.append(part.seal.hash)
        loading.names.formUnion(opened.entries.map(\.record.name))
        let isLast = loading.parts.count == loading.reference.partCount
        guard !isLast || loading.reference.consists(of: loading.parts) else {
            raise(.malformed(loading.device))
            reading.unopenedSnapshots[loading.name] = .max
            return nil
        }
        flush()
        record(.received(from: loading.device, nil))
        var clock = state.clock
        for entry in opened.entries {
            clock.advance(to: DeviceClock(entry.record.version))
            merge(entry, of: loading, in: environment)
        }
        clock.advance(to: part.clock)
        if rules.testOnlyReceivedRaisesClock { raiseClock(to: clock) }
        guard isLast else {
            noteLoading(of: opened)
            flush()
            return loading
        }
        finish(loading, with: opened, in: environment)
        return nil
    }

    private mutating func open(
        _ part: SealedSnapshotPart, of loading: Reading.Loading, in environment: some ReplicaEnvironment
    ) -> OpenedSnapshotPart? {
        do throws(OpeningFailure) {
            guard part.vector == loading.reference.vector else { throw .malformed }
            let opened = try environment.open(part)
            if opened.hasDefect || part.clock.epoch > opened.epoch { throw .malformed }
            return opened
        } catch {
            if error == .malformed { raise(.malformed(loading.device)) }
            reading.unopenedSnapshots[loading.name] = error == .malformed ? .max : now.uptime + limits.snapshotRetry
            return nil
        }
    }

    /// Ends the transaction of the last part.
    private mutating func finish(
        _ loading: Reading.Loading, with last: OpenedSnapshotPart, in environment: some ReplicaEnvironment
    ) {
        let vector = loading.reference.vector
        reading.loadedSnapshots.insert(loading.name)
        if loading.isWhole {
            reading.unitedSnapshots.insert(loading.name)
        } else if rules.testOnlyAbsentMeansDeleted {
            removeAbsent(from: loading, in: environment)
        }
        for zone in ZoneClass.allCases { retireUnknownSegments(of: zone, by: loading.reference) }
        for stream in vector.streams where vector[stream] > state.vector[stream] {
            record(.applied(stream, vector[stream], nil))
        }
        for dot in state.pending.keys where state.vector.covers(dot) { record(.pending(dot, nil)) }
        noteLoading(of: last)
        noteLoaded()
        finishJoining(in: environment)
        publication.mayDiffer = true
        adoptOrphans(in: environment)
        flush()
        watchForLack()
        applyPending(in: environment)
    }

    /// Notes that there are items that the vector does not cover: of a snapshot that is not complete yet, or of what changed while it was
    /// written. A part without any changes nothing, however often it is read.
    private mutating func noteLoading(of part: OpenedSnapshotPart) {
        let isAhead = part.entries.contains { entry in
            state.items[entry.record.name]?.dot.map { !isApplied($0) } ?? false
        }
        guard isAhead, !state.isLoading else { return }
        record(.loading(true))
        publication.mayDiffer = true
    }

    /// Notes that every item belongs to the vector again: by the snapshot that was begun, or by what came instead of it.
    mutating func noteLoaded() {
        guard state.isLoading, state.items.values.allSatisfy({ $0.dot.map(isApplied) ?? true }) else { return }
        record(.loading(false))
        publication.mayDiffer = true
    }

    private func isApplied(_ dot: Dot) -> Bool { state.vector.covers(dot) }

    private mutating func merge(
        _ entry: SnapshotEntry, of loading: Reading.Loading, in environment: some ReplicaEnvironment
    ) {
        // The version that loses is kept: neither side had what the other has.
        if loading.isWhole {
            return merge(entry.record, at: entry.dot, authorHad: VersionVector(), in: environment)
        }
        let vector = loading.reference.vector
        let wasApplied = state.vector.covers(entry.dot)
        let local = state.items[entry.record.name]
        // It was applied and is gone: deleted, and the tombstone is forgotten.
        if local == nil, wasApplied, rules.testOnlySkipsOutdated { return }
        merge(entry.record, at: entry.dot, authorHad: vector, wasApplied: wasApplied, in: environment)
        // The author of the snapshot has dealt with every version that it covers.
        if !wasApplied { record(.knowledge(entry.dot, vector)) }
    }

    /// A row whose dot the snapshot covers, and whose name it does not contain, was deleted.
    private mutating func removeAbsent(from loading: Reading.Loading, in environment: some ReplicaEnvironment) {
        for (name, item) in state.items where item.isAlive && !loading.names.contains(name) {
            guard let dot = item.dot, loading.reference.vector.covers(dot) else { continue }
            // A local item of a joining device is not what the circle deleted.
            if item.state == .live, waiting.isOnlyRenewed(name) {
                keepRow(name, item.version, .deleted)
                recordRow(name, nil)
                takeBackChange(of: name)
            }
            record(nil, name, in: environment)
        }
        // Under an unpublished change as well.
        for (name, item) in state.replaced where !loading.names.contains(name) {
            if let dot = item.dot, loading.reference.vector.covers(dot) { record(.replaced(name, nil)) }
        }
    }
}
