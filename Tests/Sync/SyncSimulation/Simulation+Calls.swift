import LatchkeySyncCore

/// The calls of programs: one transaction of the database each, whether or not an engine runs.
extension Simulation {
    func write(_ name: ItemName, _ zone: ZoneClass, _ content: Int, isNamed: Bool, on device: SimulatedDevice) {
        let old = device.database.rows[name]
        guard device.mayWrite(zone), old.map({ device.mayWrite($0.zone) }) ?? true else { return }
        put(name, makeContent(content, zone, on: device, over: old?.content), isNamed, on: device)
    }

    func delete(_ name: ItemName, _ tombstone: Bool, on device: SimulatedDevice) {
        guard device.runsPrograms, device.database.rows[name] != nil else { return }
        noteOverwritten([name], on: device)
        let note = note(of: name, isDeletion: true, leavesTombstone: tombstone, on: device)
        if !tombstone { chronicle.absent.insert(name) }
        let unnamed = device.database.unnamed.removeValue(forKey: name)
        device.database.rows[name] = nil
        settleFormer(of: unnamed, on: device)
        guard unnamed.map(\.isLinked) ?? true else {
            chronicle.calls[note.call].isVoid = true
            return
        }
        let change = LocalChange.delete(name, leavesTombstone: tombstone)
        device.database.differing[name] = SimulatedChange(change: change, note: note)
        tell([change], note, to: device)
    }

    func rename(
        _ old: ItemName, _ new: ItemName, _ content: Int, isNamed: Bool, on device: SimulatedDevice
    ) {
        guard old != new, let row = device.database.rows[old], device.database.rows[new] == nil,
            device.database.unnamed[new] == nil, device.mayWrite(row.zone)
        else { return }
        noteOverwritten([old, new], on: device)
        let content = makeContent(content, row.zone, on: device, over: row.content)
        let put = note(of: new, content: content, on: device)
        let deletion = noteOfDeletion(of: old, with: put, on: device)
        let unnamed = device.database.unnamed.removeValue(forKey: old)
        defer { if device.engine == .running, device.replica != nil { reportUntold(device) } }
        let isLinked = unnamed.map(\.isLinked) ?? true
        device.database.rows[old] = nil
        device.database.rows[new] = SimulatedRow(writing: content)
        if isNamed, device.lends {
            settleFormer(of: unnamed, on: device)
            device.database.differing[new] = SimulatedChange(change: .put(new, content), note: put)
            guard isLinked else {
                chronicle.calls[deletion.call].isVoid = true
                return tell([.put(new, content)], put, to: device)
            }
            device.database.differing[old] = SimulatedChange(
                change: .delete(old, leavesTombstone: true), note: deletion)
            return tell([.rename(from: old, to: new, content)], put, to: device)
        }
        var waiting = UnnamedRow(note: put, isLinked: false, former: unnamed?.former)
        if !isLinked {
            chronicle.calls[deletion.call].isVoid = true
        } else if writingRules.formerNamesEndAtOnce {
            device.database.differing[old] = SimulatedChange(
                change: .delete(old, leavesTombstone: true), note: deletion)
        } else {
            waiting.former = (old, deletion)
        }
        if waiting.former?.name == new { waiting.former = nil }
        device.database.unnamed[new] = waiting
    }

    /// The deletion of the former name: by the same call.
    private func noteOfDeletion(of name: ItemName, with put: ChangeNote, on device: SimulatedDevice) -> ChangeNote {
        let call = chronicle.addCall(
            .init(
                name: name, device: device.number, clock: chronicle.calls[put.call].clock, version: nil,
                known: device.known.subtracting([put.call]), isDeletion: true))
        if let clock = put.stamp.clock { chronicle.name(call, clock.version(of: device.identifier)) }
        device.known.insert(call)
        return ChangeNote(stamp: put.stamp, wall: put.wall, number: put.number, call: call)
    }

    /// Writes an item that waits for its first version again, as it is, while the replica seals it: the engine hears of
    /// it afterwards.
    func writeAgain(_ name: ItemName, isNamed: Bool, on device: SimulatedDevice) {
        // The replica handles an event: it cannot be looked at.
        guard let row = device.database.rows[name], device.lockState.opens(row.zone),
            let waiting = device.database.differing[name], waiting.isPut, !waiting.note.stamp.isOfCall
        else { return }
        put(name, dated(row.content, over: row.content, on: device), isNamed, tells: false, on: device)
        device.mustReport = true
        queue.add(.circle(device: device.number, session: device.session), at: time + 1_000)
    }

    /// A conflict version is restored as an ordinary new change.
    func restoreConflict(on device: SimulatedDevice) {
        guard device.runsPrograms, let conflict = device.database.conflicts.last,
            case .record(let content) = conflict.source, device.mayWrite(content.zone),
            device.database.rows[conflict.name].map({ device.mayWrite($0.zone) }) ?? true
        else { return }
        device.database.conflicts.removeLast()
        let other = device.database.rows[conflict.name]?.content
        let isLater = other.map { $0.dates.modified > content.dates.modified } ?? false
        put(conflict.name, dated(content, over: isLater ? other : content, on: device), true, on: device)
    }

    /// A content with the dates that a call gives it.
    private func dated(_ content: ItemContent, over old: ItemContent?, on device: SimulatedDevice) -> ItemContent {
        ItemContent(
            digest: content.digest,
            dates: ItemDates(created: content.dates.created, modified: modificationDate(over: old, on: device)),
            zone: content.zone, byteCount: content.byteCount)
    }

    /// A call makes a row later than it was, also with a clock that was set back.
    private func modificationDate(over old: ItemContent?, on device: SimulatedDevice) -> UInt64 {
        let wall = moment(device).wallClock
        return old.map { max(wall, $0.dates.modified + 1_000) } ?? wall
    }

    func makeContent(
        _ content: Int, _ zone: ZoneClass, on device: SimulatedDevice, over old: ItemContent?, created: UInt64? = nil
    ) -> ItemContent {
        let wall = moment(device).wallClock
        let digest = ObjectHash(words: (UInt64(content) + 1, UInt64(zone.rawValue), 0, 0))
        return ItemContent(
            digest: digest,
            dates: ItemDates(
                created: created ?? old?.dates.created ?? wall, modified: modificationDate(over: old, on: device)),
            zone: zone, byteCount: 20 + content % 60)
    }

    func put(
        _ name: ItemName, _ content: ItemContent, _ isNamed: Bool, tells: Bool = true, on device: SimulatedDevice
    ) {
        noteOverwritten([name], on: device)
        let note = note(of: name, content: content, on: device)
        keepRow(of: name, content, note, isNamed: isNamed, on: device)
        if tells { tell([.put(name, content)], note, to: device) }
    }

    /// Writes a row, with its name or without.
    func keepRow(
        of name: ItemName, _ content: ItemContent, _ note: ChangeNote, isNamed: Bool, on device: SimulatedDevice
    ) {
        let wasThere = device.database.rows[name] != nil
        let unnamed = device.database.unnamed[name]
        device.database.rows[name] = SimulatedRow(writing: content)
        if isNamed, device.lends || !isMember(device) {
            device.database.unnamed[name] = nil
            settleFormer(of: unnamed, on: device)
            device.database.differing[name] = SimulatedChange(change: .put(name, content), note: note)
        } else {
            if device.database.differing[name]?.isPut ?? false { device.database.differing[name] = nil }
            device.database.unnamed[name] = UnnamedRow(
                note: note, isLinked: wasThere && (unnamed?.isLinked ?? true), former: unnamed?.former)
        }
    }

    // MARK: Versions

    /// Makes what the transaction of a call keeps with it.
    private func note(
        of name: ItemName, content: ItemContent? = nil, isDeletion: Bool = false, leavesTombstone: Bool = true,
        on device: SimulatedDevice
    ) -> ChangeNote {
        let wall = moment(device).wallClock
        let stamp = leavesTombstone ? makeStamp(of: name, on: device) : .none(isRestored: false)
        let view = membership.view(device.database.statements)
        if let clock = stamp.clock, let epoch = view.writingEpoch?.number, clock.epoch < epoch, isMember(device) {
            device.violate("epoch-at-call", "\(clock) was made in epoch \(epoch)")
        }
        let call = chronicle.addCall(
            .init(
                name: name, device: device.number,
                clock: leavesTombstone && !stamp.isWaiting ? trueClock(stamp, on: device) : nil, version: nil,
                known: device.known, isDeletion: isDeletion, isHere: !leavesTombstone))
        if let clock = stamp.clock { chronicle.name(call, clock.version(of: device.identifier)) }
        device.known.insert(call)
        return ChangeNote(stamp: stamp, wall: wall, number: device.database.nextNumber(), call: call)
    }

    /// The device clock in the transaction of the call, also where the call makes no version of it.
    private func trueClock(_ stamp: ChangeStamp, on device: SimulatedDevice) -> DeviceClock? {
        guard device.database.state.hasJoined else { return nil }
        if case .made(let clock) = stamp {
            device.trueClock.advance(to: clock)
            return clock
        }
        device.trueClock.advance(to: device.database.state.clock)
        let epoch = membership.view(device.database.statements).writingEpoch?.number ?? device.trueClock.epoch
        return device.trueClock.next(in: max(epoch, device.trueClock.epoch), wallClock: moment(device).wallClock)
    }

    private func makeStamp(of name: ItemName, on device: SimulatedDevice) -> ChangeStamp {
        guard device.database.state.hasJoined || !rules.testOnlyJoiningDropsVersions else {
            return .none(isRestored: false)
        }
        guard writingRules.callsMakeVersions else { return .testOnlyWhenMet }
        let wall = moment(device).wallClock
        if !rules.testOnlyDeviceClock {
            var own = device.database.state.items[name].map { DeviceClock($0.version) } ?? DeviceClock()
            if let pending = device.database.differing[name]?.note.stamp.clock { own.advance(to: pending) }
            let epoch = membership.view(device.database.statements).writingEpoch?.number ?? own.epoch
            return own.next(in: max(epoch, own.epoch), wallClock: wall).map { .made($0) }
                ?? .awaitsEpoch(after: own.epoch)
        }
        var clock = device.database.state.clock
        guard let next = clock.next(in: clock.epoch, wallClock: wall) else {
            return writingRules.fullEpochsWait ? .awaitsEpoch(after: clock.epoch) : .made(clock)
        }
        device.database.state.apply(.clock(next))
        return .made(next)
    }

    /// Takes statements, in one transaction with what follows for the clock: it goes to the first version of the epoch to write in, and
    /// the calls that waited for one get theirs, in their order.
    func learn(_ statements: UInt64, _ device: SimulatedDevice) {
        device.database.statements = statements
        guard let epoch = membership.view(statements).writingEpoch?.number, rules.testOnlyEpochRaisesClock,
            writingRules.callsMakeVersions
        else { return }
        device.database.state.apply(.clock(DeviceClock(epoch: epoch)))
        device.trueClock.advance(to: DeviceClock(epoch: epoch))
        var notes = device.database.differing.values.map(\.note) + device.database.unnamed.values.map(\.note)
        notes = notes.filter { $0.stamp.isWaiting }.sorted { $0.number < $1.number }
        for note in notes {
            var clock = device.database.state.clock
            guard let next = clock.next(in: clock.epoch, wallClock: note.wall) else { return }
            device.database.state.apply(.clock(next))
            chronicle.name(note.call, next.version(of: device.identifier))
            device.mustReport = true
            for (name, change) in device.database.differing where change.note.call == note.call {
                device.database.differing[name]?.note.stamp = .made(next)
            }
            for (name, row) in device.database.unnamed where row.note.call == note.call {
                device.database.unnamed[name]?.note.stamp = .made(next)
            }
        }
    }

    // MARK: The engine hears of it

    /// Tells the engine of changes, unless it is off or busy, or the row has no name.
    private func tell(_ changes: [LocalChange], _ note: ChangeNote, to device: SimulatedDevice) {
        guard device.engine == .running, device.replica != nil else { return }
        let isNamed = changes.allSatisfy { $0.names.allSatisfy { device.database.unnamed[$0] == nil } }
        let hasUntold = device.database.differing.values.contains {
            $0.note.number > device.told && $0.note.number < note.number
        }
        guard isNamed, !hasUntold else { return reportUntold(device) }
        device.told = note.number
        deliver(.changed(changes.map { StampedChange($0, note.stamp) }), to: device)
    }

    private func noteOverwritten(_ names: [ItemName], on device: SimulatedDevice) {
        for name in names {
            // Before a device has joined, a row may have no version that could be noted. The same goes for one without a version.
            if let row = device.database.rows[name],
                !device.database.state.hasJoined || device.database.unnamed[name].map({ !$0.isNamedAgain }) ?? false
                    || device.database.differing[name] != nil
            {
                chronicle.keep(name, row.digest)
            }
            if let version = device.database.state.items[name]?.version {
                chronicle.overwritten.append((device.number, .init(name: name, version: version)))
            }
        }
        chronicle.joining.removeAll { $0.device == device.number && names.contains($0.name) }
    }

    /// The former name of a row gets its deletion when the row is named: only where that rule is left out.
    func settleFormer(of row: UnnamedRow?, on device: SimulatedDevice) {
        guard let row, let (name, former) = row.former, device.database.rows[name] == nil else { return }
        let note = ChangeNote(
            stamp: row.note.stamp, wall: row.note.wall, number: device.database.nextNumber(), call: former.call)
        if let clock = note.stamp.clock { chronicle.name(note.call, clock.version(of: device.identifier)) }
        device.database.differing[name] = SimulatedChange(change: .delete(name, leavesTombstone: true), note: note)
    }
}
