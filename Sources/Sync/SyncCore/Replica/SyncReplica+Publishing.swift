extension SyncReplica {
    /// Starts a publication if there is none and something is worth one.
    ///
    /// The next head is prepared only when the store is known to have the last one. A device that was restored could otherwise count
    /// past the number of a head that it does not remember, and would take it for an old one.
    mutating func publishIfNeeded(in environment: some ReplicaEnvironment) {
        guard publication.step == .idle, lockState.opens(.c), now.uptime >= publication.retriesAt else { return }
        guard state.head?.number == publication.storedHead, !publication.isInDoubt else { return startComparing() }
        let sealed = state.hasJoined && sealChanges(in: environment)
        guard let body = dueBody(hasSealed: sealed, in: environment) else { return startAudit() }
        guard circle.writingEpoch != nil else { return askForEpochInTurn() }
        let number = (state.head?.number ?? 0) + 1
        guard let hash = environment.seal(body, number: number, date: now.wallClock) else {
            publication.retriesAt = now.uptime + limits.answerTime
            return
        }
        let head = Head(device: state.device, number: number, date: now.wallClock, body: body, hash: hash)
        record(.head(head, at: now.uptime))
        publication.mayDiffer = false
        startComparing()
    }

    /// Has the epoch created without which no head can be sealed, after a device has left.
    ///
    /// Every member notices at once, so they take turns: a member that comes later mostly finds the epoch of the first.
    private mutating func askForEpochInTurn() {
        let turn = publication.epochTurnAt ?? now.uptime + UInt64(rank) * limits.snapshotTurn
        publication.epochTurnAt = turn
        publication.retriesAt = turn
        guard now.uptime >= turn else { return }
        publication.retriesAt = now.uptime + limits.longestRetry
        askForEpoch()
    }

    /// The place of this device among the members.
    var rank: Int { circle.members.sorted().firstIndex(of: state.device) ?? 0 }

    private mutating func startComparing() {
        publication.step = .comparing
        publication.retriesAt = now.uptime + limits.answerTime
        emit(.read(.ownHead))
    }

    /// The content of the head that has to be written now. Nil if the last one will do for the time being.
    private mutating func dueBody(hasSealed: Bool, in environment: some ReplicaEnvironment) -> Head.Body? {
        guard let head = state.head, !hasSealed else { return headBody(in: environment) }
        let age = now.uptime - min(now.uptime, state.headAt)
        if age >= limits.headInterval { return headBody(in: environment) }
        guard publication.mayDiffer else { return nil }
        let body = headBody(in: environment)
        publication.mayDiffer = body != head.body
        guard publication.mayDiffer else { return nil }
        return body.isNews(comparedWith: head.body) || age >= limits.acknowledgementInterval ? body : nil
    }

    private mutating func headBody(in environment: some ReplicaEnvironment) -> Head.Body {
        var streams = PerZone(both: StreamSummary())
        for zone in ZoneClass.allCases {
            let stream = StreamIdentifier(state.device, zone)
            streams[zone] = StreamSummary(
                first: state.firsts[zone], last: state.vector[stream], hash: state.marks[stream])
        }
        return Head.Body(
            statementHeads: circle.statementHeads, streams: streams, snapshot: state.snapshot?.reference,
            vector: state.vector, marks: state.marks.mapValues(\.mark), digest: digest(in: environment),
            clock: state.clock, hasJoined: state.hasJoined)
    }

    /// The digest of the items. Nil if the items are not those of the vector: before a device has joined, a record can become a local
    /// item again.
    mutating func digest(in environment: some ReplicaEnvironment) -> StateDigest? {
        guard state.hasJoined, index.unpublished.isEmpty, !state.isLoading else { return nil }
        return index.digest(of: state.items, in: environment)
    }

    /// Compares the own head in the store with the one that was written last.
    mutating func compare(_ stored: Head?) {
        if rules.testOnlyChecksOwnHead, isNewerThanOwn(stored) { return stopWriting() }
        noteStoredHead(stored)
        guard publication.step == .comparing else { return }
        if let stored, stored == state.head { return noteHeadWritten(stored.number) }
        publication.step = .creating
        let missing = unstoredSegments()
        missing.isEmpty ? writeHead() : emit(.create(missing))
        publication.retriesAt = now.uptime + limits.answerTime
    }

    /// A head that this device does not remember: it was restored from a backup, or runs twice.
    func isNewerThanOwn(_ stored: Head?) -> Bool {
        guard let stored else { return false }
        guard let own = state.head else { return true }
        // The next head may be prepared already.
        if stored.number == publication.storedHead, let hash = publication.storedHash, stored.hash != hash {
            return true
        }
        return stored.number > own.number || stored.number == own.number && stored.hash != own.hash
    }

    private mutating func noteStoredHead(_ stored: Head?) {
        let number = stored?.number ?? 0
        publication.isInDoubt = false
        guard stored != state.head, publication.storedHead.map({ number != $0 }) ?? true else { return }
        // Not the head that this run wrote last. The content of the store is unknown, so every retained segment is created again.
        publication.stored = PerZone(both: 0)
        publication.auditsAt = 0
        if var snapshot = state.snapshot, snapshot.wasReadBack {
            snapshot.wasReadBack = false
            record(.snapshot(snapshot))
        }
        if let known = publication.storedHead, number < known {
            if stored != nil { raise(.storeRolledBack(state.device)) }
            publication.storedHead = number
            publication.storedHash = stored?.hash
        }
    }

    /// The objects, and then the head, that are written next if the own head in the store is the one that was written last. Nil if it is not
    /// known which one that was, and if nothing is to be written.
    package var nextPublication: (objects: [SealedObject], head: Head)? {
        guard publication.step == .comparing, !publication.isInDoubt, publication.storedHash != nil,
            let head = state.head,
            let stored = publication.storedHead, head.number == stored + 1
        else { return nil }
        return (unstoredSegments(), head)
    }

    private func unstoredSegments() -> [SealedObject] {
        let (stored, vector) = (publication.stored, state.vector)
        let isStored =
            stored.a >= vector[StreamIdentifier(state.device, .a)]
            && stored.c >= vector[StreamIdentifier(state.device, .c)]
        if isStored { return [] }
        return retainedSegments { $0.number > publication.stored[$0.stream.zone] }
    }

    /// The segments of the outbox that qualify, in their order.
    func retainedSegments(where qualifies: (Dot) -> Bool) -> [SealedObject] {
        state.outbox.filter { qualifies($0.key) }.sorted { $0.key < $1.key }
            .map { SealedObject(name: .segment($0.key), seal: $0.value) }
    }

    mutating func noteCreated(_ names: [ObjectName]) {
        for case .segment(let dot) in names where dot.stream.device == state.device {
            publication.stored[dot.stream.zone] = max(publication.stored[dot.stream.zone], dot.number)
        }
        for name in names { noteSnapshotPartCreated(name) }
        if publication.step == .creating, unstoredSegments().isEmpty { writeHead() }
    }

    private mutating func writeHead() {
        guard let head = state.head else { return }
        publication.step = .writingHead
        publication.retriesAt = now.uptime + limits.answerTime
        emit(.writeHead(head))
    }

    mutating func noteHeadWritten(_ number: UInt64) {
        guard number == state.head?.number else { return }
        publication.storedHead = number
        publication.storedHash = state.head?.hash
        if let streams = state.head?.body.streams {
            let last = PerZone(a: streams.a.last, c: streams.c.last)
            publication.stored = last
            if last != state.confirmed { record(.confirmed(last)) }
        }
        mayCollect = true
        publication.step = .idle
        publication.retriesAt = 0
        publication.retryInterval = 0
        if index.unpublished.isEmpty { publication.partners.removeAll() }
        clear(.storeRolledBack(state.device))
        removeGarbage()
        readSnapshotBack()
    }

    /// Removes what the head in the store does not name. A segment that was retired while that head was on its way is still named by it, and
    /// stays until the next head: a reader would look for it, and find neither it nor a reason to load the snapshot.
    private mutating func removeGarbage() {
        let streams = state.head?.body.streams
        func isNamed(_ name: ObjectName) -> Bool {
            guard case .segment(let dot) = name else { return false }
            return dot.number >= streams?[dot.stream.zone].first ?? 0
        }
        let unnamed = garbage.filter { !isNamed($0) }
        guard !unnamed.isEmpty else { return }
        garbage.removeAll { !isNamed($0) }
        emit(.remove(unnamed))
    }

    /// Gives up the step in flight and waits, longer each time.
    mutating func postpone() {
        publication.retryInterval = min(
            limits.longestRetry, max(limits.shortestRetry, publication.retryInterval * 2))
        publication.step = .idle
        publication.retriesAt = now.uptime + publication.retryInterval
        reading.step = .idle
        reading.startsAt = now.uptime + publication.retryInterval
        giveUpSnapshot()
    }

}
