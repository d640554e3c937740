extension SyncReplica {
    /// Starts a round of reading, or another one after the present round.
    mutating func startReading() {
        guard isActive else { return }
        guard reading.step == .idle else {
            reading.isWantedAgain = true
            return
        }
        guard now.uptime >= reading.startsAt else {
            reading.isWantedAgain = true
            return
        }
        reading.isWantedAgain = false
        reading.askedSnapshots.removeAll()
        wait(for: .heads)
        emit(.read(.heads))
    }

    mutating func wait(for step: Reading.Step) {
        reading.step = step
        reading.endsAt = now.uptime + limits.answerTime
    }

    /// - Parameter isComplete: false if what the store shows may not be applied yet.
    mutating func endReading(isComplete: Bool = true) {
        reading.step = .idle
        if isComplete, !isHeldUp { reading.isCurrent = true }
        noteLoaded()
        if reading.isWantedAgain { startReading() }
    }

    /// Takes the heads that the store shows. Those of devices that are not members have no effect.
    mutating func read(_ heads: [Head], in environment: some ReplicaEnvironment) {
        compareOwn(heads)
        guard !isDuplicated else { return }
        for device in state.seen.keys where !circle.members.contains(device) { record(.forgotten(device)) }
        for head in heads where isRead(head.device) { note(head) }
        guard !isDuplicated else { return }
        for head in heads where isRead(head.device) {
            compareClaims(head)
            compareMarks(head)
        }
        compareDigests(heads, in: environment)
        watchForLack()
        if state.isLoading { adoptOrphans(in: environment) }
        if reading.step == .heads { reading.step = .idle }
        // A key may be at hand that was not when the segments came.
        if !state.pending.isEmpty { applyPending(in: environment) }
        continueReading(in: environment)
    }

    private mutating func compareOwn(_ heads: [Head]) {
        let shown = heads.filter { $0.device == state.device }
        // Any of them: a folder keeps the head of a twin as a copy beside this one, mostly with the same number.
        if shown.contains(where: isNewerThanOwn) { return stopWriting() }
        let own = shown.max { $0.number < $1.number }
        guard publication.step == .idle, let known = publication.storedHead else { return }
        // The answer may be older than the last head, so the store is asked again before anything is concluded.
        if own?.number ?? 0 < known { publication.isInDoubt = true }
    }

    private mutating func note(_ head: Head) {
        if let seen = state.seen[head.device] {
            if head.number < seen.number, !head.body.goesBeyond(seen.body) {
                return raise(.storeRolledBack(head.device))
            }
            if head.number == seen.number, head.hash != seen.hash {
                return distrust(head.device, because: .heads(head.device, seen.hash, head.hash))
            }
            clear(.storeRolledBack(head.device))
            if head.number == seen.number { return }
            // A snapshot that made no sense is replaced.
            if head.body.snapshot != seen.body.snapshot { clear(.malformed(head.device)) }
        }
        record(.seen(head))
        writing.mayBeNeeded = true
        noteAcknowledged(by: head)
    }

    /// Notes the own segments that the member has as this device wrote them. With another mark they are those of a twin.
    private mutating func noteAcknowledged(by head: Head) {
        var numbers = state.acknowledged
        for zone in ZoneClass.allCases {
            let own = StreamIdentifier(state.device, zone)
            let (number, last) = (head.body.vector[own], state.vector[own])
            guard number > numbers[zone], number <= last else { continue }
            let hash = number == last ? state.marks[own] : state.outbox[Dot(own, number)]?.hash
            if let hash, let mark = head.body.marks[own], mark != hash.mark { continue }
            numbers[zone] = number
        }
        if numbers != state.acknowledged { record(.acknowledged(numbers)) }
    }

    /// Accepts nothing further from a device that signed two objects for one place.
    mutating func distrust(_ device: DeviceIdentifier, because contradiction: Contradiction? = nil) {
        guard device != state.device else { return stopWriting() }
        guard !state.duplicated.contains(device) else { return }
        record(.duplicated(device))
        if let contradiction { emit(.report(contradiction)) }
        // Segments that its streams lack are not missed any more.
        clearAlarms(of: device)
        raise(.deviceDuplicated(device))
    }

    /// Compares the last segments that a member has applied with those that this device has.
    ///
    /// The word of a member proves nothing against another device, so the segment is fetched: two that are signed prove it.
    private mutating func compareMarks(_ head: Head) {
        for (stream, mark) in head.body.marks.entries {
            guard let own = state.marks[stream]?.mark, mark != own || !alarms.raised.isEmpty,
                head.body.vector[stream] == state.vector[stream]
            else { continue }
            let alarm = SyncAlarm.contradicted(stream, by: head.device)
            // Of a device that was removed, nothing is read that could decide it.
            let isOpen = circle.members.contains(stream.device) && !state.duplicated.contains(stream.device)
            guard mark != own, isOpen else {
                clear(alarm)
                continue
            }
            raise(alarm)
            if stream.device != state.device {
                reading.disputed.insert(Dot(stream, state.vector[stream]))
            }
        }
    }

    private mutating func compareDigests(_ heads: [Head], in environment: some ReplicaEnvironment) {
        guard state.hasJoined else { return }
        for head in heads where isRead(head.device) && head.body.vector == state.vector {
            guard let theirs = head.body.digest, head.body.statementHeads == circle.statementHeads else { continue }
            guard let own = digest(in: environment) else { return }
            theirs == own ? clear(.diverged(head.device)) : noteDivergence(from: head.device)
        }
    }

    /// Puts the items of two devices together: each writes a snapshot, and loads that of the other as a whole.
    private mutating func noteDivergence(from device: DeviceIdentifier) {
        raise(.diverged(device))
        guard !state.owesSnapshot else { return }
        if let snapshot = state.snapshot {
            // A member that names wrong digests costs one snapshot a day.
            let isOld = now.uptime >= snapshot.writtenAt + limits.headInterval
            guard snapshot.reference.vector != state.vector, isOld else { return }
        }
        record(.owesSnapshot(true))
    }
}
