extension SyncReplica {
    /// Seals the next part of the snapshot that is being written, when the store has the last one.
    ///
    /// Items change between two parts. A later version has a dot that the vector of the snapshot does not cover, and a deletion leaves a
    /// tombstone of that kind, so readers take every part as what it was when it was sealed.
    mutating func continueSnapshot(in environment: some ReplicaEnvironment) {
        guard let draft = writing.draft, draft.inFlight == nil else { return }
        guard lockState.opens(.a), !publication.lacksKey else { return giveUpSnapshot() }
        // A version of a later epoch does not belong into it, and such an epoch may be of use to read only.
        guard circle.writingEpoch == draft.epoch, state.clock.epoch <= draft.epoch.number else {
            return giveUpSnapshot()
        }
        // An item that waits for its segment has no dot.
        guard canWriteSnapshot else { return }
        var rest = draft.rest
        let part = SnapshotPartDraft(
            device: state.device, number: draft.number, part: draft.parts.count, epoch: draft.epoch,
            vector: draft.vector, clock: state.clock, entries: entries(&rest, in: environment))
        guard let seal = environment.seal(part) else {
            publication.lacksKey = areCurrent(part.entries.lazy.map(\.record), in: environment)
            return giveUpSnapshot()
        }
        writing.draft?.inFlight = (seal, rest)
        writing.endsAt = now.uptime + limits.answerTime
        emit(.create([SealedObject(name: part.name, seal: seal)]))
    }

    /// More items than most parts hold.
    private static let lookAhead = 8_192

    /// Takes the entries of one part off the names.
    private func entries(
        _ rest: inout ArraySlice<ItemName>, in environment: some ReplicaEnvironment
    ) -> [SnapshotEntry] {
        var entries: [SnapshotEntry] = []
        var byteCount = 0
        environment.expect(rows(of: rest.prefix(Self.lookAhead)))
        defer { environment.expect([]) }
        while let name = rest.first {
            if let item = state.items[name], let entry = entry(name, item, in: environment) {
                byteCount += entry.record.byteCount
                if !entries.isEmpty, byteCount > limits.bytesInSnapshotPart { break }
                entries.append(entry)
            }
            rest = rest.dropFirst()
        }
        return entries
    }

    private func entry(
        _ name: ItemName, _ item: KnownItem, in environment: some ReplicaEnvironment
    ) -> SnapshotEntry? {
        guard let dot = item.dot else { return nil }
        let state: SyncRecord.State
        switch (item.state, item.digest) {
        case (.gone, _), (_, nil): state = .gone
        // Left out, an item would pass for deleted.
        case (.absentHere, let digest?), (.missing, let digest?): state = .withheld(digest: digest, zone: item.zone)
        case (.live, let digest?):
            let content = content(of: name, in: environment)
            // A row that has changed again is reported next, and its version is not this one.
            state =
                content.flatMap { $0.digest == digest ? .live($0) : nil }
                ?? .withheld(digest: digest, zone: item.zone)
        }
        let record = SyncRecord(name: name, version: item.version, base: item.base, state: state)
        return SnapshotEntry(record: record, dot: dot)
    }

    /// Forgets the snapshot whose answer was lost. The next one has another number.
    mutating func giveUpSnapshot() {
        guard writing.draft != nil else { return }
        writing.draft = nil
        writing.mayBeNeeded = true
        mayCollect = true
    }

    /// Notes that the store has the part that it was given.
    mutating func noteSnapshotPartCreated(_ name: ObjectName) {
        guard var draft = writing.draft, let part = draft.inFlight,
            name == .snapshotPart(state.device, number: draft.number, part: draft.parts.count)
        else { return }
        draft.parts.append(part.seal)
        draft.rest = part.rest
        draft.inFlight = nil
        writing.draft = draft
        if draft.rest.isEmpty { finish(draft) }
    }

    private mutating func finish(_ draft: SnapshotWriting.Draft) {
        writing.draft = nil
        writing.endsAt = 0
        writing.mayBeNeeded = true
        writing.readBack = []
        if let old = state.snapshot { record(.previousSnapshots(state.previousSnapshots + [old])) }
        let reference = SnapshotReference(
            number: draft.number, parts: draft.parts.map(\.hash), vector: draft.vector)
        record(
            .snapshot(
                OwnSnapshot(
                    reference: reference, byteCount: draft.parts.reduce(0) { $0 + $1.byteCount },
                    writtenAt: now.uptime)))
        record(.owesSnapshot(false))
        publication.mayDiffer = true
    }

    /// Reads the own snapshot as the store has it, before segments are removed because of it.
    mutating func readSnapshotBack() {
        guard let snapshot = state.snapshot, !snapshot.wasReadBack else { return }
        writing.readBack = []
        emit(.read(.snapshotPart(state.device, number: snapshot.reference.number, part: 0)))
    }

    mutating func noteReadBack(_ stored: SealedSnapshotPart?, _ number: UInt64, _ part: Int) {
        guard var snapshot = state.snapshot, snapshot.reference.number == number, !snapshot.wasReadBack,
            part == writing.readBack.count
        else { return }
        guard let stored else { return record(.owesSnapshot(true)) }
        writing.readBack.append(stored.seal.hash)
        guard writing.readBack.count == snapshot.reference.partCount else {
            return emit(.read(.snapshotPart(state.device, number: number, part: part + 1)))
        }
        guard snapshot.reference.consists(of: writing.readBack) else { return record(.owesSnapshot(true)) }
        snapshot.wasReadBack = true
        record(.snapshot(snapshot))
    }
}
