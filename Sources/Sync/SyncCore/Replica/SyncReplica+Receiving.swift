extension SyncReplica {
    /// Asks for the next objects that this device needs, or ends the round.
    mutating func continueReading(in environment: some ReplicaEnvironment) {
        guard reading.step == .idle, isActive, !reading.isInterrupted else { return }
        finishJoining(in: environment)
        // Segments are kept until every call has a name. Nothing is asked for while calls are not in the items.
        guard !isHeldUp else { return endReading() }
        let dots = neededSegments() + reading.disputed.sorted()
        reading.disputed.removeAll()
        if !dots.isEmpty {
            wait(for: .segments)
            return emit(.read(.segments(dots)))
        }
        startLoading(in: environment)
    }

    /// The segments between the vector and the heads that are not here yet.
    ///
    /// Every stream has its share of the round: what the store lacks of one must not keep the others waiting.
    private func neededSegments() -> [Dot] {
        var needed: [StreamIdentifier: ClosedRange<UInt64>] = [:]
        for (device, head) in state.seen where isRead(device) {
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(device, zone)
                let next = state.vector[stream] + 1
                let summary = head.body.streams[zone]
                if next >= summary.first, next <= summary.last { needed[stream] = next...summary.last }
            }
        }
        let share = max(1, limits.segmentsInRound / max(1, needed.count))
        let dots = needed.flatMap { stream, numbers in
            numbers.lazy.map { Dot(stream, $0) }.filter { state.pending[$0] == nil }.prefix(share)
        }
        return dots.sorted()
    }

    /// Keeps the segments until they can be opened in their order, and applies those that can.
    mutating func read(_ segments: [SealedSegment], in environment: some ReplicaEnvironment) {
        let wasEmpty = segments.isEmpty
        for segment in segments { compareWithApplied(segment) }
        var applied = false
        for segment in segments.sorted(by: { $0.dot < $1.dot }) where isWanted(segment.dot) {
            // A segment that is next is not stored twice.
            if isNext(segment.dot), mayApply(segment.dot.stream.zone, in: environment),
                apply(next: segment, in: environment)
            {
                applied = true
            } else {
                record(.pending(segment.dot, segment))
            }
        }
        if applyPending(in: environment) { applied = true }
        watchForLack()
        guard reading.step == .segments else { return }
        reading.step = .idle
        // Without progress the rest is asked for in the next round only.
        wasEmpty && !applied ? startLoading(in: environment) : continueReading(in: environment)
    }

    /// A second segment under the number of one that was applied proves that its author runs twice.
    private mutating func compareWithApplied(_ segment: SealedSegment) {
        let stream = segment.dot.stream
        guard isRead(stream.device), segment.dot.number == state.vector[stream], let mark = state.marks[stream],
            mark != segment.hash
        else { return }
        distrust(stream.device, because: .segments(segment.dot, mark, segment.hash))
    }

    /// Returns true for a segment that is referenced by its author's head and was not applied.
    private func isWanted(_ dot: Dot) -> Bool {
        guard isRead(dot.stream.device), let head = state.seen[dot.stream.device] else { return false }
        return dot.number <= head.body.streams[dot.stream.zone].last && !state.vector.covers(dot)
    }

    /// Returns true if nothing but the keys could be in the way of applying the segment.
    private func isNext(_ dot: Dot) -> Bool {
        isActive && lockState.opens(dot.stream.zone) && !reading.isInterrupted
            && dot.number == state.vector[dot.stream] + 1 && state.pending[dot] == nil
    }

    private mutating func apply(next segment: SealedSegment, in environment: some ReplicaEnvironment) -> Bool {
        guard reading.room > 0 else { return false }
        flush()
        guard apply(segment, in: environment) else { return false }
        reading.room -= segment.seal.byteCount
        flush()
        return true
    }

    /// Applies the segments that are here, each in a transaction of its own, as far as their keys are at hand.
    @discardableResult
    mutating func applyPending(in environment: some ReplicaEnvironment) -> Bool {
        guard isActive, !isHeldUp else { return false }
        var applied = false
        for stream in Set(state.pending.keys.map(\.stream)).sorted()
        where lockState.opens(stream.zone) && mayApply(stream.zone, in: environment) {
            while isRead(stream.device), let segment = state.pending[Dot(stream, state.vector[stream] + 1)] {
                guard reading.room > 0 else {
                    interrupt()
                    return applied
                }
                guard apply(next: segment, in: environment) else { break }
                applied = true
            }
        }
        if applied { finishJoining(in: environment) }
        return applied
    }

    private mutating func interrupt() {
        guard !reading.isInterrupted else { return }
        reading.isInterrupted = true
        emit(.goOn)
    }

    /// Applies the segments that the last event has left.
    mutating func continueApplying(in environment: some ReplicaEnvironment) {
        guard reading.isInterrupted else { return }
        reading.isInterrupted = false
        applyPending(in: environment)
        continueReading(in: environment)
    }

    /// - Returns: false if the segment stays pending.
    private mutating func apply(_ segment: SealedSegment, in environment: some ReplicaEnvironment) -> Bool {
        let stream = segment.dot.stream
        if let mark = state.marks[stream], mark != segment.previous {
            distrust(stream.device)
            return false
        }
        var opened: OpenedSegment?
        do throws(OpeningFailure) {
            opened = try environment.open(segment)
        } catch {
            if error == .notYet { return false }
        }
        if state.pending[segment.dot] != nil { record(.pending(segment.dot, nil)) }
        record(.received(from: stream.device, stream.zone))
        record(.applied(stream, segment.dot.number, segment.hash))
        record(.knowledge(segment.dot, segment.knows))
        publication.mayDiffer = true
        guard let opened, opened.defect(in: stream.zone) == nil else {
            raise(.malformed(stream.device))
            return true
        }
        var clock = state.clock
        for record in opened.records {
            clock.advance(to: DeviceClock(record.version))
            merge(record, at: segment.dot, authorHad: segment.knows, in: environment)
        }
        if rules.testOnlyReceivedRaisesClock { raiseClock(to: clock) }
        return true
    }
}
