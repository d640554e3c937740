/// The proofs that there is another device with this device's identity.
///
/// Only objects with its own signature prove it, and end its writing for ever. The word of a member or of the store could come from an
/// attacker that wants to silence the device.
extension SyncReplica {
    /// True while a member says that it has segments of this device that this device does not know.
    ///
    /// If the device was restored, another segment under one of these numbers would be a fork. So it waits: for the segment, which proves
    /// it, or for the removal of the member.
    var isAccused: Bool { state.seen.values.contains { isRead($0.device) && claimsUnknown($0) } }

    private func claimsUnknown(_ head: Head) -> Bool {
        ZoneClass.allCases.contains { zone in
            let own = StreamIdentifier(state.device, zone)
            return head.body.vector[own] > state.vector[own]
        }
    }

    /// Asks for the first own segment that the member has and this device does not know.
    mutating func compareClaims(_ head: Head) {
        let alarm = SyncAlarm.ownSegmentsUnknown(by: head.device)
        guard let claim = state.seen[head.device], claimsUnknown(claim) else { return clear(alarm) }
        raise(alarm)
        publication.step = .idle
        for zone in ZoneClass.allCases {
            let own = StreamIdentifier(state.device, zone)
            guard claim.body.vector[own] > state.vector[own] else { continue }
            emit(.read(.ownObject(.segment(Dot(own, state.vector[own] + 1)))))
        }
    }

    /// Looks at the object because of which the store did not take one. Something else than an object of this device goes.
    mutating func contest(_ name: ObjectName) {
        guard name.writer == state.device else { return }
        publication.contested = name
        emit(.read(.ownObject(name)))
    }

    /// Takes the hash of an object that was signed with this device's keys. Nil if the store has no such object under the name.
    mutating func compare(_ name: ObjectName, _ stored: ObjectHash?) {
        if let stored, !isOwn(stored, name) { return stopWriting() }
        guard publication.contested == name else { return }
        publication.contested = nil
        // The same content under another signature, which a store can make from the first.
        if stored != nil { return noteCreated([name]) }
        emit(.remove([name]))
        postpone()
    }

    /// Returns false for an object that this device cannot have written. Of what it has forgotten, nothing can be said.
    private func isOwn(_ hash: ObjectHash, _ name: ObjectName) -> Bool {
        switch name {
        case .segment(let dot):
            let last = state.vector[dot.stream]
            let known = state.outbox[dot]?.hash ?? (dot.number == last ? state.marks[dot.stream] : nil)
            return dot.number <= last && known ?? hash == hash
        case .snapshotPart(_, let number, let part):
            if let draft = writing.draft, draft.number == number {
                let parts = draft.parts + (draft.inFlight.map { [$0.seal] } ?? [])
                return part < parts.count && parts[part].hash == hash
            }
            return number <= state.snapshotNumber
        case .head: return true
        }
    }

    mutating func stopWriting() {
        guard !isDuplicated else { return }
        record(.duplicated(state.device))
        raise(.identityDuplicated)
        publication.step = .idle
    }

    /// Raises again after a start what is known for good.
    mutating func raiseDuplicated() {
        for device in state.duplicated.sorted() where circle.members.contains(device) {
            raise(device == state.device ? .identityDuplicated : .deviceDuplicated(device))
        }
    }
}
