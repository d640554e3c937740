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

    mutating func endReading() {
        reading.step = .idle
        if reading.isWantedAgain { startReading() }
    }

    /// Takes the heads that the store shows. Those of devices that are not members have no effect.
    mutating func read(_ heads: [Head], in environment: some ReplicaEnvironment) {
        compareOwn(heads)
        guard !isDuplicated else { return }
        for device in state.seen.keys where !circle.members.contains(device) { record(.forgotten(device)) }
        for head in heads where isRead(head.device) { note(head) }
        guard !isDuplicated else { return }
        compareDigests(heads)
        watchForLack()
        if reading.step == .heads { reading.step = .idle }
        continueReading(in: environment)
    }

    private mutating func compareOwn(_ heads: [Head]) {
        let own = heads.filter { $0.device == state.device }.max { $0.number < $1.number }
        if isNewerThanOwn(own) { return stopWriting() }
        guard publication.step == .idle, let known = publication.storedHead else { return }
        // The answer may be older than the last head, so the store is asked again before anything is concluded.
        if own?.number ?? 0 < known { publication.isInDoubt = true }
    }

    private mutating func note(_ head: Head) {
        if let seen = state.seen[head.device] {
            if head.number < seen.number { return raise(.storeRolledBack(head.device)) }
            if head.number == seen.number, head.hash != seen.hash { return distrust(head.device) }
            clear(.storeRolledBack(head.device))
            if head.number == seen.number { return }
        }
        record(.seen(head))
        writing.mayBeNeeded = true
        for zone in ZoneClass.allCases {
            let own = StreamIdentifier(state.device, zone)
            // Segments of this device that it does not remember.
            if head.body.vector[own] > state.vector[own] { stopWriting() }
        }
    }

    /// Accepts nothing further from a device that signed two objects for one place.
    mutating func distrust(_ device: DeviceIdentifier) {
        guard !state.duplicated.contains(device) else { return }
        record(.duplicated(device))
        raise(.deviceDuplicated(device))
    }

    private mutating func compareDigests(_ heads: [Head]) {
        guard state.hasJoined, index.unpublished.isEmpty else { return }
        for head in heads where isRead(head.device) && head.body.vector == state.vector {
            guard let digest = head.body.digest, head.body.statementHeads == circle.statementHeads else { continue }
            digest == index.digest ? clear(.diverged(head.device)) : raise(.diverged(head.device))
        }
    }
}
