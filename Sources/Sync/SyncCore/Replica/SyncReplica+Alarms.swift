/// The alarms that stand, and what may become one. After a crash they are found out again.
struct AlarmState: Sendable {
    var raised: Set<SyncAlarm> = []
    /// Streams of which other devices have more than the store shows.
    var lacks: [StreamIdentifier: Lack] = [:]
    /// Members whose heads name statements that the store does not show, with the uptime since which they do.
    var unknownStatements: [DeviceIdentifier: UInt64] = [:]

    struct Lack: Hashable, Sendable {
        /// The last segment that this device has.
        var after: UInt64
        /// The uptime since which there has been no progress.
        var since: UInt64
    }
}

extension SyncReplica {
    mutating func raise(_ alarm: SyncAlarm) {
        if alarms.raised.insert(alarm).inserted { emit(.raise(alarm)) }
    }

    mutating func clear(_ alarm: SyncAlarm) {
        // Mostly there is none, and this is asked for every stream of every head.
        guard !alarms.raised.isEmpty, alarms.raised.remove(alarm) != nil else { return }
        emit(.clear(alarm))
    }

    /// Ends the alarms of a device whose heads and segments are not read any more.
    mutating func clearAlarms(of device: DeviceIdentifier) {
        clear(.storeRolledBack(device))
        clear(.deviceDuplicated(device))
        clear(.diverged(device))
        clear(.malformed(device))
        alarms.unknownStatements[device] = nil
        clear(.statementsWithheld(from: device))
        for case .contradicted(let stream, let witness) in alarms.raised
        where stream.device == device || witness == device {
            clear(.contradicted(stream, by: witness))
        }
        for zone in ZoneClass.allCases {
            let stream = StreamIdentifier(device, zone)
            alarms.lacks[stream] = nil
            clear(.withheld(stream))
        }
    }

    /// Notes since when the store has not shown segments that must exist.
    mutating func watchForLack() {
        var known = VersionVector()
        for device in otherMembers where isRead(device) {
            if let head = state.seen[device] { known.formUnion(head.body.vector) }
        }
        for device in otherMembers where isRead(device) {
            for zone in ZoneClass.allCases { watch(StreamIdentifier(device, zone), known) }
            watchStatements(of: device)
        }
    }

    private mutating func watchStatements(of device: DeviceIdentifier) {
        guard let head = state.seen[device], !head.body.statementHeads.isSubset(of: statements) else {
            if !alarms.unknownStatements.isEmpty { alarms.unknownStatements[device] = nil }
            return clear(.statementsWithheld(from: device))
        }
        let since = alarms.unknownStatements[device] ?? now.uptime
        alarms.unknownStatements[device] = since
        if now.uptime >= since + limits.withholdingInterval { raise(.statementsWithheld(from: device)) }
    }

    /// - Parameter known: what the members have.
    private mutating func watch(_ stream: StreamIdentifier, _ known: VersionVector) {
        let applied = state.vector[stream]
        let exists = max(state.seen[stream.device]?.body.streams[stream.zone].last ?? 0, known[stream])
        guard exists > applied, !waitsForKey(stream) else {
            if !alarms.lacks.isEmpty { alarms.lacks[stream] = nil }
            return clear(.withheld(stream))
        }
        if let lack = alarms.lacks[stream], lack.after == applied {
            if now.uptime >= lack.since + limits.withholdingInterval { raise(.withheld(stream)) }
        } else {
            alarms.lacks[stream] = AlarmState.Lack(after: applied, since: now.uptime)
            clear(.withheld(stream))
        }
    }

    /// Returns true if the next segment is here, or if this device could not use what would replace it.
    private func waitsForKey(_ stream: StreamIdentifier) -> Bool {
        let next = state.vector[stream] + 1
        if state.pending[Dot(stream, next)] != nil { return true }
        let first = state.seen[stream.device]?.body.streams[stream.zone].first ?? 1
        return next < first && (!lockState.opens(.a) || !reading.unopenedSnapshots.isEmpty)
    }
}
