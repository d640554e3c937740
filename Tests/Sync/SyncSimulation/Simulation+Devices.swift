import LatchkeySyncCore

extension Simulation {
    /// Starts the device from its database, as after a crash.
    func start(_ device: SimulatedDevice) {
        device.session += 1
        device.crashesAfter = nil
        device.wakesAt = nil
        device.alarms = []
        device.sealed = []
        device.told = 0
        device.replica = SyncReplica(device.database.state, limits: limits, rules: rules)
        deliver(.locked(device.lockState), to: device)
        // Reported before anything is read: a change without a version must not meet a record.
        report(device)
        deliverCircle(to: device)
        deliver(.hint, to: device)
    }

    /// Names what can be named, and reports the changes that no item has, in their order.
    func report(_ device: SimulatedDevice) {
        nameRows(device)
        if !device.database.state.hasJoined { reportRowsFromBefore(device) }
        reportChanges(device)
    }

    private func reportChanges(_ device: SimulatedDevice) {
        device.mustReport = false
        guard !device.database.differing.isEmpty else { return }
        let changes = device.database.differing.values.sorted { left, right in
            (left.note.number, left.change.names[0]) < (right.note.number, right.change.names[0])
        }
        device.told = changes.last?.note.number ?? 0
        deliver(.changed(changes.map(\.stamped)), to: device)
    }

    /// Names what waited for keys. A device that is busy hears of it later.
    func reportNamed(_ device: SimulatedDevice) {
        guard device.replica != nil, device.engine == .running, !device.isRetired else { return }
        let waits = !device.database.unnamed.isEmpty
        let untold = device.database.differing.values.contains { $0.note.number > device.told }
        if waits || untold { report(device) }
    }

    /// Reports what a busy or nameless moment has left, without naming anything.
    func reportUntold(_ device: SimulatedDevice) {
        guard device.database.differing.values.contains(where: { $0.note.number > device.told }) else { return }
        reportChanges(device)
    }

    private func reportRowsFromBefore(_ device: SimulatedDevice) {
        for (name, row) in device.database.rows.sorted(by: { $0.key < $1.key })
        where device.database.state.items[name] == nil && device.database.unnamed[name] == nil
            && device.database.differing[name] == nil
        {
            device.database.differing[name] = SimulatedChange(
                change: .put(name, row.content), note: noteFromBefore(name, on: device))
        }
    }

    /// Returns the note of a row that was there before the device joined.
    func noteFromBefore(_ name: ItemName, on device: SimulatedDevice) -> ChangeNote {
        let call = chronicle.addCall(
            .init(name: name, device: device.number, clock: nil, version: nil, known: device.known, isDeletion: false))
        device.known.insert(call)
        var stamp = ChangeStamp.none(isRestored: false)
        if !rules.testOnlyJoiningDropsVersions, let row = device.database.rows[name] {
            let clock = DeviceClock(time: row.content.dates.modified)
            stamp = .made(clock)
            chronicle.name(call, clock.version(of: device.identifier))
        }
        return ChangeNote(stamp: stamp, wall: 0, number: device.database.nextNumber(), call: call)
    }

    func deliverCircle(to device: SimulatedDevice) {
        let view = membership.view(device.database.statements)
        let statements = membership.hashes(device.database.statements)
        let hasDecided = device.database.hasDecided
        deliver(.circle(view, statements: statements, isOwnDecision: hasDecided), to: device)
        if device.replica != nil { device.database.hasDecided = false }
        if device.mustReport { report(device) }
    }

    /// Gives the device an event and performs the effects, until it crashes.
    func deliver(_ event: ReplicaEvent, to device: SimulatedDevice) {
        guard device.replica != nil, !device.isRetired else { return }
        let session = device.session
        let environment = SimulatedEnvironment(device: device)
        device.received = event.objects
        defer {
            device.received = []
            device.opened = [:]
        }
        let effects = device.replica?.handle(event, at: moment(device), in: environment) ?? []
        for _ in 0..<device.refusals { meet(.missingKey, device) }
        device.refusals = 0
        for effect in effects {
            if let count = device.crashesAfter {
                guard count > 0 else { return crash(device) }
                device.crashesAfter = count - 1
            }
            take(effect, of: device)
            guard device.session == session else { return }
        }
    }

    private func take(_ effect: ReplicaEffect, of device: SimulatedDevice) {
        switch effect {
        case .commit(let transaction):
            guard isCommittable(transaction, on: device) else { return restart(device) }
            commit(transaction, on: device)
        case .raise(let alarm):
            note("device \(device.number) raises \(alarm)")
            device.alarms.insert(alarm)
            device.everRaised.insert(alarm)
            // The copies of a device can fork its streams. Among honest devices this never happens.
            if case .diverged = alarm, Set(membership.identifiers).count == devices.count {
                device.violate("converges", "equal vectors and other items: \(alarm)")
            }
        case .clear(let alarm): device.alarms.remove(alarm)
        case .report(let contradiction): note("device \(device.number) reports \(contradiction)")
        case .wake(let time):
            device.wakesAt = time
            queue.add(.wake(device: device.number, session: device.session, time: time), at: time)
        case .goOn: queue.add(.goOn(device: device.number, session: device.session), at: time)
        case .createEpoch:
            let view = membership.view(device.database.statements)
            guard view.members.contains(device.identifier) else { return }
            makeStatement(.epoch, by: device)
            queue.add(.circle(device: device.number, session: device.session), at: time)
        case .read, .create, .writeHead, .remove:
            guard device.isOnline else { return }
            if !isSettling, numbers.chance(network.lost) { return meet(.lostQuestion, device) }
            queue.add(.question(device: device.number, session: device.session, effect), at: time + latency())
            if numbers.chance(network.duplicated) {
                meet(.repeatedQuestion, device)
                queue.add(.question(device: device.number, session: device.session, effect), at: time + latency())
            }
        }
    }

    func latency() -> UInt64 {
        if isSettling { return 50_000 }
        let longest: UInt64 = numbers.chance(network.late / 4) ? 8_000_000 : 400_000
        return 20_000 + numbers.below(longest)
    }

    /// Ends the device: what was not committed is lost.
    func crash(_ device: SimulatedDevice) {
        note("device \(device.number) crashes")
        meet(.crash, device)
        device.replica = nil
        device.session += 1
        device.crashesAfter = nil
        if device.losesSession { device.lockState = .beforeFirstUnlock }
        queue.add(.restart(device: device.number), at: time + 1_000_000 + numbers.below(60_000_000 as UInt64))
    }

    /// Discards the replica and begins again with what is committed: a program was faster.
    private func restart(_ device: SimulatedDevice) {
        note("device \(device.number): a program was faster")
        device.replica = nil
        device.session += 1
        queue.add(.restart(device: device.number), at: time + 1_000)
    }

    // MARK: Statements

    @discardableResult
    func makeStatement(_ kind: SimulatedMembership.Kind, by device: SimulatedDevice) -> Int? {
        guard membership.statements.count < SimulatedMembership.limit else { return nil }
        let number = membership.add(kind, by: device.number, knowing: device.database.statements)
        noteEpoch(of: number)
        note("device \(device.number) writes statement \(number): \(kind)")
        learn(device.database.statements | 1 << UInt64(number), device)
        publishStatement(number, by: device)
        return number
    }

    func noteEpoch(of number: Int) {
        let statement = membership.statements[number]
        guard let epoch = statement.epoch else { return }
        world.epochs[statement.hash] = .init(number: EpochNumber(epoch), statement: number)
    }

    func publishStatement(_ number: Int, by device: SimulatedDevice) {
        store.statements[number] = .init(value: number, since: visibility(by: device))
    }

    /// Writes again the statements that the store lost. Removed devices do so as well: no other may have their own.
    func publishLostStatements(of device: SimulatedDevice) {
        guard !device.isRetired else { return }
        for number in 0..<membership.statements.count
        where device.database.statements & 1 << UInt64(number) != 0 && store.statements[number] == nil {
            publishStatement(number, by: device)
        }
    }

    /// Takes the statements that the store shows and whose pasts are known.
    func readStatements(_ device: SimulatedDevice) {
        var known = device.database.statements
        for number in store.statements(for: device.number, at: time) {
            let past = membership.statements[number].past & ~(1 << UInt64(number))
            if past & ~known == 0 { known |= 1 << UInt64(number) }
        }
        guard known != device.database.statements else { return }
        learn(known, device)
        deliverCircle(to: device)
    }
}

extension ReplicaEvent {
    /// The sealed objects that come with the event.
    fileprivate var objects: Set<ObjectHash> {
        switch self {
        case .answer(.segments(let segments)): Set(segments.map(\.hash))
        case .answer(.snapshotPart(_, _, _, let part?)): [part.seal.hash]
        default: []
        }
    }
}
