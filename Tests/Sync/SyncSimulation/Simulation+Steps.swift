import LatchkeySyncCore

extension Simulation {
    func perform(_ step: SimulationStep) {
        pass(step.wait)
        guard failure == nil else { return }
        note("— \(step.action)")
        switch step.action {
        case .write(let number, let name, let zone, let content, let isNamed):
            write(names[name], zone, content, isNamed: isNamed, on: device(number))
        case .delete(let number, let name, let tombstone): delete(names[name], tombstone, on: device(number))
        case .rename(let number, let old, let new, let content, let isNamed):
            rename(names[old], names[new], content, isNamed: isNamed, on: device(number))
        case .writeBeforeApplying(let number, let name, let content):
            let device = device(number)
            device.beforeApplying = { [weak self] in
                self?.write(self?.names[name] ?? .numbered(1), .c, content, isNamed: false, on: device)
            }
        case .writeBeforeVersion(let number, let name, let isNamed):
            let device = device(number)
            device.beforeVersions = { [weak self] in
                self?.writeAgain(self?.names[name] ?? .numbered(1), isNamed: isNamed, on: device)
            }
        case .engine(let number, let state, let lock): setEngine(device(number), state, lock)
        case .backUpItems(let number): itemBackups[device(number).number] = device(number).database.rows
        case .restoreItems(let number, let source, let replacing):
            restoreItems(from: device(source), replacing: replacing, on: device(number))
        case .allowGroup(let number, let name, let content):
            allowGroup(names[name], content, on: device(number))
        case .nameAgain(let number): nameAllAgain(device(number))
        case .restoreConflict(let number): restoreConflict(on: device(number))
        case .lock(let number, let state): lock(device(number), state)
        case .crash(let number, let count, let restarts):
            device(number).crashesAfter = count
            device(number).losesSession = restarts
        case .online(let number, let isOnline): setOnline(device(number), isOnline)
        case .divide(let groups): for device in devices { device.group = device.number % groups }
        case .heal: heal()
        case .network(let network): self.network = network
        case .join(let author, let names): join(by: device(author), names)
        case .remove(let author, let victim): remove(device(victim), by: device(author))
        case .leave(let number): leave(device(number))
        case .exhaust(let number): exhaust(device(number))
        case .newEpoch(let number): makeEpoch(by: device(number))
        case .mark: mark = store
        case .rollBack(let number): rollBack(number.map { device($0) })
        case .lose(let percent, let heads): lose(percent, heads)
        case .withhold(let author, let reader): withhold(device(author), from: device(reader))
        case .backUp(let number):
            backups[device(number).number] = (device(number).database, chronicle.overwritten.count)
        case .restore(let number, let asTwin): restore(device(number), asTwin: asTwin)
        case .moveClock(let number, let seconds):
            meet(.movedClock, device(number))
            device(number).clockError = seconds * 1_000_000
        case .refuse(let number, let count): device(number).refusesAfter = count
        case .hint(let number): queue.add(.hint(device: device(number).number), at: time)
        }
    }

    private func device(_ number: Int) -> SimulatedDevice {
        let running = devices.filter { !$0.isRetired }
        return running[number % running.count]
    }

    // MARK: Devices and membership

    private func lock(_ device: SimulatedDevice, _ state: SyncLockState) {
        if state != .unlocked { meet(state == .noPasscode ? .withoutPasscode : .locked, device) }
        device.lockState = state
        deliver(.locked(state), to: device)
    }

    /// Switches the engine off, lets it be busy, or lets it go on.
    private func setEngine(_ device: SimulatedDevice, _ state: SimulatedDevice.EngineState, _ lock: SyncLockState) {
        guard state != device.engine else { return }
        let wasOff = device.engine == .off
        device.engine = state
        switch state {
        case .off:
            meet(.engineOff, device)
            device.replica = nil
            device.session += 1
            device.crashesAfter = nil
        case .busy, .running:
            if state == .busy { meet(.engineBusy, device) }
            if wasOff {
                device.lockState = lock
                start(device)
            } else if state == .running {
                reportNamed(device)
            }
        }
    }

    func setOnline(_ device: SimulatedDevice, _ isOnline: Bool) {
        guard isOnline != device.isOnline else { return }
        device.isOnline = isOnline
        guard isOnline else { return meet(.offline, device) }
        deliver(.hint, to: device)
        deliver(.time, to: device)
    }

    func isMember(_ device: SimulatedDevice) -> Bool {
        membership.view(device.database.statements).members.contains(device.identifier) && !device.isRetired
            && !device.database.state.duplicated.contains(device.identifier)
    }

    private func join(by author: SimulatedDevice, _ names: Int) {
        guard isMember(author), author.replica != nil, author.lockState == .unlocked, devices.count < 7 else { return }
        let device = makeDevice { ReplicaState(device: $0, hasJoined: false) }
        for (position, name) in self.names.enumerated() where names & 1 << position != 0 {
            let content = makeContent(
                numbers.below(1_000), numbers.chance(30) ? .a : .c, on: device, over: nil)
            device.database.rows[name] = SimulatedRow(writing: content)
            device.database.differing[name] = SimulatedChange(
                change: .put(name, content), note: noteFromBefore(name, on: device))
            chronicle.joining.append((device.number, name, content.digest))
        }
        admit(device, by: author)
    }

    func admit(_ device: SimulatedDevice, by author: SimulatedDevice) {
        guard makeStatement(.admitted(device.number), by: author) != nil else { return }
        meet(.admission, author)
        author.database.hasDecided = true
        deliverCircle(to: author)
        // The invitation names the statements.
        learn(author.database.statements, device)
        start(device)
    }

    func remove(_ victim: SimulatedDevice, by author: SimulatedDevice) {
        guard isMember(author), author.replica != nil, author.lockState == .unlocked,
            author.identifier != victim.identifier,
            membership.view(author.database.statements).members.contains(victim.identifier)
        else { return }
        let vector = author.database.state.vector
        let counted = CountedSegments(
            a: vector[.init(victim.identifier, .a)], c: vector[.init(victim.identifier, .c)])
        guard makeStatement(.removed(victim.number, counted), by: author) != nil else { return }
        meet(.removal, author)
        meet(.ownRemoval, victim)
        author.database.hasDecided = true
        deliverCircle(to: author)
    }

    private func leave(_ device: SimulatedDevice) {
        guard isMember(device), device.lockState == .unlocked, device.database.differing.isEmpty,
            device.database.unnamed.isEmpty,
            device.replica?.hasPassedOnAll ?? false,
            membership.view(device.database.statements).members.count > 1
        else { return }
        let vector = device.database.state.vector
        let counted = CountedSegments(
            a: vector[.init(device.identifier, .a)], c: vector[.init(device.identifier, .c)])
        guard makeStatement(.left(counted), by: device) != nil else { return }
        meet(.departure, device)
        deliverCircle(to: device)
    }

    private func exhaust(_ device: SimulatedDevice) {
        let clock = device.database.state.clock
        guard device.replica != nil, clock.time < .max else { return }
        meet(.exhaustedEpoch, device)
        device.database.state.apply(.clock(DeviceClock(epoch: clock.epoch, time: .max, count: .max - 2)))
        start(device)
    }

    private func makeEpoch(by device: SimulatedDevice) {
        guard isMember(device), device.replica != nil else { return }
        makeStatement(.epoch, by: device)
        meet(.newEpoch, device)
        deliverCircle(to: device)
    }

    // MARK: The store

    func heal() {
        for device in devices { device.group = 0 }
        store.heal(at: time) { [self] in numbers.below(60_000_000 as UInt64) }
    }

    private func rollBack(_ only: SimulatedDevice?) {
        guard let mark else { return }
        for device in devices where only == nil || only === device { meet(.storeRolledBack, device) }
        guard let only else {
            store = mark
            return
        }
        store.heads[only.identifier] = mark.heads[only.identifier]
        for name in store.objects.keys where name.writer == only.identifier { store.objects[name] = mark.objects[name] }
    }

    private func lose(_ percent: Int, _ heads: Bool) {
        for device in devices { meet(.lostObjects, device) }
        for name in store.objects.keys.sorted(by: { $0.order < $1.order }) where numbers.chance(percent) {
            store.objects[name] = nil
        }
        guard heads else { return }
        for device in store.heads.keys.sorted() where numbers.chance(percent) { store.heads[device] = nil }
    }

    private func withhold(_ author: SimulatedDevice, from reader: SimulatedDevice) {
        guard author.identifier != reader.identifier else { return }
        meet(.withheldObjects, reader)
        for name in store.objects.keys where name.writer == author.identifier {
            store.objects[name]?.since[reader.number] = SimulatedStore.never
        }
    }

    /// Puts a device back to a backup, or starts a second device from it.
    private func restore(_ device: SimulatedDevice, asTwin: Bool) {
        guard let (backup, overwritten) = backups[device.number], !device.isRetired, devices.count < 7,
            backup.state.clock.time < .max
        else { return }
        guard membership.identifiers.filter({ $0 == device.identifier }).count == 1 else { return }
        let twin = SimulatedDevice(number: devices.count, identifier: device.identifier, database: backup, world: world)
        // Copies may give one version to two changes, of which at most one leaves its device. The chronicle could not tell them apart.
        let clock = backup.state.clock
        twin.database.state.apply(.clock(DeviceClock(epoch: clock.epoch, time: clock.time + 1)))
        twin.clockError = device.clockError + Int64(numbers.below(1_000_000)) + 1
        let stored = store.heads[device.identifier]?.last?.value.number ?? 0
        twin.mustFindOut = stored > backup.state.head?.number ?? 0
        for (name, item) in backup.state.items where item.dot != nil { twin.greatest[name] = item.version }
        chronicle.inherit(overwritten, from: device.number, by: twin.number)
        twin.known = device.known
        chronicle.copied.formUnion([device.number, twin.number])
        add(twin)
        meet(asTwin ? .secondCopy : .restored, device)
        if !asTwin {
            device.isRetired = true
            device.session += 1
        }
        start(twin)
    }
}
