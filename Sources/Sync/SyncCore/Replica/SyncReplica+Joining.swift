extension SyncReplica {
    /// Takes changes that wait until the device has joined.
    ///
    /// A deletion of an item that the circle is not known to have only takes back the local item: joining deletes nothing.
    mutating func takeBeforeJoining(_ changes: [LocalChange]) {
        // A row that did not open is reported again when it does, with its dates.
        let reported = Set(changes.flatMap(\.names))
        waiting.removeAll { change in
            if case .put(let name, _) = change { reported.contains(name) } else { false }
        }
        for change in changes {
            renewals.subtract(change.names)
            switch change {
            case .put: waiting.append(change)
            case .delete(let name, _): deleteBeforeJoining(name, change)
            case .rename(let old, let new, let content):
                deleteBeforeJoining(old, .delete(old, leavesTombstone: true))
                waiting.append(.put(new, content))
            }
        }
    }

    private mutating func deleteBeforeJoining(_ name: ItemName, _ change: LocalChange) {
        if state.items[name] != nil { return waiting.append(change) }
        waiting.removeAll { $0.names == [name] }
        record(.noted(name))
    }

    /// Takes back the change of a joining device that meets a version which it did not know.
    mutating func takeBackChange(of name: ItemName) {
        guard waitingChange(of: name) != nil else { return }
        waiting.removeAll { $0.names == [name] }
        renewals.remove(name)
        record(.noted(name))
    }

    /// The last change of an item that waits until the device has joined.
    func waitingChange(of name: ItemName) -> LocalChange? {
        waiting.last { $0.names.contains(name) }
    }

    /// The content of a local item that was there before the device joined.
    func waitingContent(of name: ItemName) -> ItemContent? {
        if case .put(_, let content)? = waitingChange(of: name) { content } else { nil }
    }

    /// A record of the circle meets a local item of a joining device. Joining deletes nothing.
    ///
    /// Only here the modification date decides: the local item has no version that could be compared.
    mutating func meet(
        _ record: SyncRecord, at dot: Dot, localContent: ItemContent, in environment: some ReplicaEnvironment
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
        guard let content = keepsContent(record) else { return }
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
        waiting.removeAll { $0.names == [name] }
        recordRow(name, content)
        record(.noted(name))
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
        if let clock = knowing.map(\.body.clock).filter(isOfKnownEpoch).max(), clock > state.clock {
            record(.clock(clock))
        }
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
