extension SyncReplica {
    /// Takes back a change without a version that meets a version which it did not know.
    mutating func takeBackChange(of name: ItemName) {
        if waiting[name] != nil { note(name) }
    }

    /// A record of the circle meets a local item without a version. Joining deletes nothing, and a restored item loses to a newer deletion.
    ///
    /// Only here the modification date decides: the local item has no version that could be compared.
    mutating func meet(
        _ record: SyncRecord, at dot: Dot, localContent: ItemContent, isRestored: Bool,
        in environment: some ReplicaEnvironment
    ) {
        let name = record.name
        if let known = state.items[name], known.version >= record.version {
            let isLost = record.digest != known.digest && record.digest != localContent.digest
            if isLost, known.version > record.version, !localAuthorHad(record, at: dot, known) {
                keep(record, .overruled)
            }
            return
        }
        // The local item becomes the next version over this one, unless the circle's wins below.
        self.record(KnownItem(record, at: dot), name, in: environment)
        guard let content = keepsContent(record) else {
            if isRestored, case .gone = record.state, record.version.time > localContent.dates.modified {
                keepRow(name, nil, .deleted)
                recordRow(name, nil)
                takeBackChange(of: name)
            }
            return
        }
        if content.digest == localContent.digest {
            settle(name, content)
        } else if content.dates.modified >= localContent.dates.modified {
            keepRow(name, nil, .joined)
            settle(name, content)
        } else {
            keep(record, .joined)
        }
    }

    private mutating func settle(_ name: ItemName, _ content: ItemContent) {
        recordRow(name, content)
        note(name)
    }

    /// The device has joined when it has applied what the heads of the other members name, and the head of a joined member that knows of
    /// its admission.
    ///
    /// Tombstones that were forgotten before the admission was known are not greater than the clock of such a head. From an older
    /// state, a local item could get a version that is smaller than a tombstone that some members still have.
    mutating func finishJoining(in environment: some ReplicaEnvironment) {
        guard !state.hasJoined, isActive, joins() else { return }
        // Before: the versions of what lives are to be new ones. After: what is gone is passed on as it is.
        adoptOrphans(in: environment)
        record(.joined)
        adoptOrphans(in: environment)
    }

    private mutating func joins() -> Bool {
        if otherMembers.isEmpty { return true }
        let heads = state.seen.values.filter { circle.members.contains($0.device) }
        guard !heads.isEmpty, heads.allSatisfy({ hasReadStreams(of: $0) }) else { return false }
        let knowing = heads.filter { knowsAdmission($0) && hasApplied($0.body.vector) }
        if !isFirst(among: knowing) {
            // Only a member that has joined can pass on what it has of removed devices.
            let joined = heads.filter(\.body.hasJoined)
            guard joined.allSatisfy({ hasReadRemoved($0) }), knowing.contains(where: { $0.body.hasJoined }) else {
                return false
            }
        }
        if let clock = knowing.map(\.body.clock).filter(isOfKnownEpoch).max() { raiseClock(to: clock) }
        return true
    }

    /// Returns false for a clock that a member has made up: in an epoch that does not exist, no device could write any more.
    private func isOfKnownEpoch(_ clock: DeviceClock) -> Bool {
        clock.epoch <= circle.newestEpoch ?? state.clock.epoch
    }

    private func knowsAdmission(_ head: Head) -> Bool {
        !rules.testOnlyJoinsByKnowingHead || head.body.statementHeads == circle.statementHeads
    }

    /// Returns true if this device has applied what the vector says of the members.
    private func hasApplied(_ vector: VersionVector) -> Bool {
        vector.streams.allSatisfy { !circle.members.contains($0.device) || state.vector[$0] >= vector[$0] }
    }

    /// Returns true if no other member has joined, because those that had are removed. The rest then publish what they have: no
    /// device can write the snapshot with which one would get what another has of the removed devices.
    private func isFirst(among heads: [Head]) -> Bool {
        heads.count == otherMembers.count && heads.allSatisfy { !$0.body.hasJoined }
    }
}
