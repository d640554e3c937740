extension SyncReplica {
    /// Gives up lost answers, and continues what waited for a time.
    mutating func continueAfterTime(in environment: some ReplicaEnvironment) {
        publication.lacksKey = false
        if publication.step != .idle, now.uptime >= publication.retriesAt {
            publication.retryInterval = min(
                limits.longestRetry, max(limits.shortestRetry, publication.retryInterval * 2))
            publication.step = .idle
            publication.retriesAt = now.uptime + publication.retryInterval
        }
        if writing.draft?.inFlight != nil, now.uptime >= writing.endsAt {
            giveUpSnapshot()
            writing.endsAt = now.uptime + limits.answerTime
        }
        if reading.step != .idle, now.uptime >= reading.endsAt {
            reading.step = .idle
            reading.loading = nil
            startReading()
        } else if reading.step == .idle, reading.isWantedAgain {
            startReading()
        }
        continueApplying(in: environment)
        if isActive { watchForLack() }
        mayCollect = true
    }

    mutating func scheduleWake() {
        var times = isAccused ? [] : timesOfWriting
        if reading.step != .idle {
            times.append(reading.endsAt)
        } else if reading.isWantedAgain {
            times.append(reading.startsAt)
        }
        times += alarms.lacks.filter { !alarms.raised.contains(.withheld($0.key)) }
            .map { $0.value.since + limits.withholdingInterval }
        times += alarms.unknownStatements.filter { !alarms.raised.contains(.statementsWithheld(from: $0.key)) }
            .map { $0.value + limits.withholdingInterval }
        if let snapshot = state.snapshot, !state.previousSnapshots.isEmpty {
            let age = snapshot.writtenAt + limits.previousSnapshotAge
            if age > now.uptime { times.append(age) }
        }
        guard let time = times.min().map({ max($0, now.uptime + limits.shortestRetry) }),
            time != wakesAt || time <= now.uptime
        else {
            return
        }
        wakesAt = time
        emit(.wake(at: time))
    }

    private var timesOfWriting: [UInt64] {
        var times: [UInt64] = []
        if publication.step != .idle {
            times.append(publication.retriesAt)
        } else if lockState.opens(.c) {
            times.append(timeOfNextPublication)
        }
        if publication.lacksKey { times.append(now.uptime + limits.longestRetry) }
        if writing.draft?.inFlight != nil { times.append(writing.endsAt) }
        if writing.draft == nil, canWriteSnapshot {
            if let turn = writing.turnAt { times.append(max(turn, writing.endsAt)) }
            if state.owesSnapshot || retainsTooMuch { times.append(writing.endsAt) }
        }
        return times
    }

    private var timeOfNextPublication: UInt64 {
        if state.head?.number != publication.storedHead || publication.isInDoubt { return publication.retriesAt }
        let daily = min(state.headAt + limits.headInterval, max(publication.auditsAt, 1))
        let due = publication.mayDiffer ? min(daily, state.headAt + limits.acknowledgementInterval) : daily
        return max(due, publication.retriesAt)
    }
}
