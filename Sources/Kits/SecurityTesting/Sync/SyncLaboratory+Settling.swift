import Synchronization

extension SyncLaboratory {
    /// The time until the devices had nothing more to exchange.
    public struct Settlement: Sendable, CustomStringConvertible {
        /// Every alarm that a device has shown since the settlement before, also one that ended by itself, as when a store that went
        /// back was filled again. ``SyncLaboratory/alarms`` has those that stand.
        public let alarms: Set<Alarm>
        /// The devices that wait for something: for an unlock, for what the store does not show, or for an answer of the store.
        public let waiting: Set<VirtualDevice>
        /// The virtual time that it took.
        public let elapsed: Duration

        public var description: String {
            "Settlement(alarms: \(alarms.map(\.description).sorted()), "
                + "waiting: \(waiting.map { $0.name ?? $0.description }.sorted()), elapsed: \(elapsed))"
        }
    }

    /// Lets the devices exchange what they have until none of them has anything new and nothing is on its way, and lets as much
    /// virtual time pass as that takes.
    ///
    /// A device that is locked exchanges what it can; the rest waits until it is unlocked, and for the next call. A device that is
    /// switched off takes no part.
    ///
    /// - Throws: ``VirtualDeviceError/Code/syncFailed`` if that does not end; the error has the seed and the last twenty steps.
    @discardableResult
    public func settle() throws(VirtualDeviceError) -> Settlement {
        let start = log.now
        try run { _ in false }
        let raised = state.withLock { state in
            defer { state.raised = [] }
            return state.raised
        }
        return Settlement(
            alarms: raised, waiting: Set(members.filter { !$0.isSettled }.map(\.device)), elapsed: log.now - start)
    }

    /// Lets virtual time pass for all devices, and what is due in it happen: what is on its way arrives, and what waits for a time is
    /// done. In the middle of a slow exchange a test can lock a device, or switch it off.
    public func advance(by duration: Duration) throws(VirtualDeviceError) {
        try run(until: log.now + duration) { _ in false }
    }

    /// Sets the wall clock of a device ahead of the right time, or behind it. Its clock still moves with those of the others.
    public func setClock(of device: VirtualDevice, offset: Duration) {
        let member = member(device)
        member.clock.set(offset: offset)
        log.note("has a clock that is off by \(offset)", of: member.name)
    }

    /// The state of the part of a device that exchanges items.
    public enum Exchange: Sendable, Hashable {
        case running
        /// It hears neither of changes here nor of the store, as while it is at work on something else.
        case busy
        /// Apps write without it, and without the keys of the circle, as after `latchkey sync pause`.
        case paused
    }

    /// Lets the exchange of a device go on, be busy or pause. Of two changes of one item the later call wins all the same.
    public func setExchange(of device: VirtualDevice, _ exchange: Exchange) throws(VirtualDeviceError) {
        let member = member(device)
        try member.set(exchange)
        log.note("has an exchange that is \(exchange)", of: member.name)
    }

    // MARK: Running

    /// The virtual time without any progress after which the devices are at rest. Within it a store counts as one that withholds. Where
    /// calls get no answer, each is tried again many times.
    private var patience: Duration { network.loss > 0 ? .hours(6) : .minutes(20) }
    /// The time after which a device looks at the store again that lacks something, and the same after a call without an answer.
    private static let lookInterval = Duration.hours(1)
    private static let retryInterval = Duration.minutes(5)
    /// The time within which a device answers news with a head of its own.
    private static let echo = Duration.hours(1)
    private static let workLimit = 5_000

    /// Lets the devices work, and time pass.
    ///
    /// - Parameters:
    ///   - end: the time at which it ends; nil: when the devices are at rest.
    ///   - isDone: ends it after the work of a device.
    func run(
        until end: Duration? = nil, _ isDone: (LaboratoryMember) -> Bool
    ) throws(VirtualDeviceError) {
        // Every device is asked once for the changes by its apps and its owner.
        for member in members {
            try work(member)
            if isDone(member) { return }
        }
        var lastNews = log.now
        var worksLeft = Self.workLimit
        while true {
            while let member = members.first(where: isDue) {
                worksLeft -= 1
                guard worksLeft > 0 else {
                    throw unsettled(because: "The devices still have something to exchange, and do not come to an end.")
                }
                if try work(member) { lastNews = log.now }
                if isDone(member) { return }
            }
            lastNews = max(lastNews, carrier.lastContent)
            // Of the heads that each device writes once a day some are always on their way.
            let arrival = carrier.nextArrival(ofWhatWasWrittenUntil: end ?? lastNews + Self.echo)
            let next = [arrival, nextWake].compactMap(\.self).min()
            if let end {
                guard let next, next <= end else { return try pass(to: end) }
            } else {
                guard let next, arrival != nil || next - lastNews <= patience else {
                    guard let stuck = members.first(where: \.isStuck) else { return }
                    throw unsettled(because: "The changes of \(stuck.name) do not get through to the store.")
                }
            }
            if let next { try pass(to: next) }
        }
    }

    private func unsettled(because reason: String) -> VirtualDeviceError {
        VirtualDeviceError(
            .syncFailed, "settle", reason: reason,
            advice: "Repeat the test with the seed \(seed), and look at the last steps:\n"
                + lastSteps.map { "  \($0)" }.joined(separator: "\n"))
    }

    private func isDue(_ member: LaboratoryMember) -> Bool {
        guard member.isExchanging else { return false }
        return carrier.hasNews(for: member.name) || member.timeUntilWake == .zero
            || state.withLock { $0.looksAt[member.name] }.map { $0 <= log.now } ?? false
    }

    private var nextWake: Duration? {
        let (now, looks) = (log.now, state.withLock { $0.looksAt })
        return members.filter(\.isExchanging)
            .flatMap { [$0.timeUntilWake.map { now + $0 }, looks[$0.name]] }.compactMap(\.self).min()
    }

    /// - Returns: true if the device has got something new, or passes on something of its own.
    @discardableResult
    private func work(_ member: LaboratoryMember) throws(VirtualDeviceError) -> Bool {
        guard member.isExchanging else { return false }
        _ = carrier.takeNews(of: member.name)
        let hadChanges = member.hasChanges
        let work = try member.work()
        if work.remoteChanges > 0 { log.note("takes \(work.remoteChanges) changes of others", of: member.name) }
        let alarms = alarms(work.raised, shownBy: member)
        for alarm in alarms.sorted(by: { $0.description < $1.description }) {
            log.note("shows \(alarm)", of: member.name)
        }
        let interval = work.failure == nil ? Self.lookInterval : Self.retryInterval
        let next = member.isSettled ? nil : log.now + interval
        state.withLock { state in
            state.raised.formUnion(alarms)
            state.looksAt[member.name] = next
        }
        return work.remoteChanges > 0 || !alarms.isEmpty || work.isProgress && hadChanges
    }

    private func pass(to time: Duration) throws(VirtualDeviceError) {
        let before = log.now
        guard time > before else { return }
        log.now = time
        for member in members { try member.device.advance(by: time - before) }
        carrier.arrive(since: before)
    }
}
