import LatchkeySyncCore

extension Simulation {
    /// Starts the device from its database, as after a crash.
    func start(_ device: SimulatedDevice) {
        device.session += 1
        device.crashesAfter = nil
        device.wakesAt = nil
        device.alarms = []
        device.sealed = []
        device.replica = SyncReplica(device.database.state, limits: limits, rules: rules)
        deliver(.locked(device.lockState), to: device)
        // Reported before anything is read: a change without a version must not meet a record.
        report(device)
        deliverCircle(to: device)
        deliver(.hint, to: device)
    }

    /// Reports the rows that differ from their `syncitems` rows.
    private func report(_ device: SimulatedDevice) {
        if !device.database.state.hasJoined {
            for (name, row) in device.database.rows where device.database.state.items[name] == nil {
                device.database.differing[name] = .put(name, row.content)
            }
        }
        guard !device.database.differing.isEmpty else { return }
        let changes = device.database.differing.sorted { $0.key < $1.key }.map(\.value)
        deliver(.changed(changes), to: device)
    }

    func deliverCircle(to device: SimulatedDevice) {
        let view = membership.view(device.database.statements)
        let statements = membership.hashes(device.database.statements)
        let hasDecided = device.database.hasDecided
        deliver(.circle(view, statements: statements, isOwnDecision: hasDecided), to: device)
        if device.replica != nil { device.database.hasDecided = false }
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
        case .commit(let transaction): commit(transaction, on: device)
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

    // MARK: Statements

    @discardableResult
    func makeStatement(_ kind: SimulatedMembership.Kind, by device: SimulatedDevice) -> Int? {
        guard membership.statements.count < SimulatedMembership.limit else { return nil }
        let number = membership.add(kind, by: device.number, knowing: device.database.statements)
        noteEpoch(of: number)
        note("device \(device.number) writes statement \(number): \(kind)")
        device.database.statements |= 1 << UInt64(number)
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
        device.database.statements = known
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
