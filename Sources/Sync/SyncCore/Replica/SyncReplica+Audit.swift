extension SyncReplica {
    /// Compares the own objects with the store: after a start, after a loss, and once a day.
    mutating func startAudit() {
        guard now.uptime >= publication.auditsAt else { return }
        publication.auditsAt = now.uptime + limits.headInterval
        emit(.read(.objects(state.device)))
        for device in circle.removed.keys.sorted() where isForgotten(device) { emit(.read(.objects(device))) }
    }

    mutating func audit(_ device: DeviceIdentifier, _ names: Set<ObjectName>) {
        guard device == state.device else {
            if isForgotten(device), !names.isEmpty { emit(.remove(Array(names))) }
            return
        }
        let missing = retainedSegments { dot in
            dot.number <= publication.stored[dot.stream.zone] && !names.contains(.segment(dot))
        }
        if !missing.isEmpty { emit(.create(missing)) }
        auditSnapshots(names)
        let strays = names.filter(isStray)
        let old = strays.filter { name in
            if case .segment = name { return true }
            if isOfEarlierSnapshot(name) { return true }
            return now.uptime >= publication.strays[name, default: now.uptime] + limits.strayAge
        }
        if !old.isEmpty { emit(.remove(Array(old))) }
        publication.strays = Dictionary(
            uniqueKeysWithValues: strays.subtracting(old).map { ($0, publication.strays[$0] ?? now.uptime) })
    }

    private mutating func auditSnapshots(_ names: Set<ObjectName>) {
        guard let snapshot = state.snapshot else { return }
        if !names.isSuperset(of: snapshot.reference.names(of: state.device)) {
            if !state.owesSnapshot { record(.owesSnapshot(true)) }
        } else {
            readSnapshotBack()
        }
    }

    /// Returns true for a part with a smaller number than the snapshot that stands: numbers are not given twice, and no head names it.
    private func isOfEarlierSnapshot(_ name: ObjectName) -> Bool {
        guard case .snapshotPart(_, let number, _) = name, let snapshot = state.snapshot, snapshot.wasReadBack else {
            return false
        }
        return number < snapshot.reference.number
    }

    /// Returns true for an own object that the head in the store does not name.
    private func isStray(_ name: ObjectName) -> Bool {
        switch name {
        case .head: return false
        case .segment(let dot):
            return dot.number < (state.head?.body.streams[dot.stream.zone].first ?? 1)
                && publication.storedHead == state.head?.number
        case .snapshotPart(_, let number, _):
            let known = state.previousSnapshots.map(\.reference.number) + [state.snapshot?.reference.number ?? 0]
            return !known.contains(number) && writing.draft?.number != number
        }
    }

    /// Returns true if this device removes the objects of a removed device: every member knows of the removal, and what counts of the
    /// device's segments is in a snapshot.
    private func isForgotten(_ device: DeviceIdentifier) -> Bool {
        guard circle.removed[device] != nil, circle.members.min() == state.device else { return false }
        let heads = otherMembers.map { state.seen[$0] }
        guard heads.allSatisfy({ $0?.body.statementHeads == circle.statementHeads }) else { return false }
        return ZoneClass.allCases.allSatisfy { zone in
            let stream = StreamIdentifier(device, zone)
            let applied = heads.map { $0?.body.vector[stream] ?? 0 } + [state.vector[stream]]
            let last = applied.max() ?? 0
            return last == 0 || snapshots.contains { $0.vector[stream] >= last }
        }
    }
}
