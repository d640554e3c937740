import LatchkeySyncCore

/// Rows without a version: restored ones, and those of a group that is allowed later. And the naming of rows.
extension Simulation {
    /// Restores the items that the device, or another one, had when it was backed up.
    func restoreItems(from source: SimulatedDevice, replacing: Bool, on device: SimulatedDevice) {
        guard device.runsPrograms, isMember(device), device.database.state.hasJoined,
            let backup = itemBackups[source.number]
        else { return }
        for (name, row) in backup.sorted(by: { $0.key < $1.key }) where device.mayWrite(row.zone) {
            if let old = device.database.rows[name] {
                guard replacing, old.digest != row.digest, device.mayWrite(old.zone) else { continue }
            }
            if device.database.unnamed[name] == nil { restore(row, name, on: device) }
        }
    }

    private func restore(_ row: SimulatedRow, _ name: ItemName, on device: SimulatedDevice) {
        let database = device.database
        let modified = row.content.dates.modified
        let pending = database.differing[name]
        let isNamed = device.lends
        // A row without a name cannot be looked up among the deletions: that is done when it is named.
        if isNamed, writingRules.restoresLookAtDeletions, let deletion = database.deletion(of: name),
            deletion > modified, pending == nil
        {
            return
        }
        let isOverCall =
            writingRules.restoresLookAtCalls && pending.map { $0.note.stamp.isOfCall && (isNamed || $0.isPut) } ?? false
        if isOverCall, isNamed, let pending, !pending.isPut,
            (pending.note.stamp.clock?.time ?? pending.note.wall) > modified
        {
            return
        }
        noteRestored(row, name, on: device, isOverCall: isOverCall)
    }

    private func noteRestored(_ row: SimulatedRow, _ name: ItemName, on device: SimulatedDevice, isOverCall: Bool) {
        if isOverCall || writingRules.restoresAreCalls {
            put(name, row.content, device.lends, on: device)
            let dates = row.content.dates
            if !isOverCall { chronicle.calls[chronicle.calls.count - 1].restored = dates }
            return
        }
        if let old = device.database.rows[name] { chronicle.keep(name, old.digest) }
        if let version = device.database.state.items[name]?.version {
            chronicle.overwritten.append((device.number, .init(name: name, version: version)))
        }
        var stamp = ChangeStamp.none(isRestored: true)
        if writingRules.restoresHaveTheirDate {
            stamp = .made(DeviceClock(epoch: device.database.state.clock.epoch, time: row.content.dates.modified))
        }
        let loser = chronicle.newestDeletion(of: name, knownTo: device, after: row.content.dates.modified)
        let call = chronicle.addCall(
            .init(
                name: name, device: device.number, clock: nil, version: nil, known: device.known, isDeletion: false,
                restored: row.content.dates, losesToDeletion: device.database.rows[name] == nil ? loser : nil))
        if let clock = stamp.clock { chronicle.name(call, clock.version(of: device.identifier)) }
        device.known.insert(call)
        let note = ChangeNote(
            stamp: stamp, wall: moment(device).wallClock, number: device.database.nextNumber(), call: call)
        keepRow(of: name, row.content, note, isNamed: device.lends, on: device)
        if device.engine == .running, device.database.unnamed[name] == nil { report(device) }
    }

    /// A row that was there before counts from now on.
    func allowGroup(_ name: ItemName, _ content: Int, on device: SimulatedDevice) {
        let database = device.database
        guard device.runsPrograms, isMember(device), database.state.hasJoined, database.rows[name] == nil,
            database.unnamed[name] == nil, database.differing[name] == nil, device.mayWrite(.c),
            database.state.items[name].map({ $0.state == .gone }) ?? true
        else { return }
        let wall = moment(device).wallClock
        let made = makeContent(content, .c, on: device, over: nil, created: wall &- min(wall, 2_000))
        let content = ItemContent(
            digest: made.digest, dates: ItemDates(created: made.dates.created, modified: made.dates.created),
            zone: .c, byteCount: made.byteCount)
        let call = chronicle.addCall(
            .init(
                name: name, device: device.number, clock: nil, version: nil, known: device.known, isDeletion: false))
        device.known.insert(call)
        let note = ChangeNote(
            stamp: .none(isRestored: false), wall: wall, number: device.database.nextNumber(), call: call)
        keepRow(of: name, content, note, isNamed: true, on: device)
        if device.engine == .running, device.database.unnamed[name] == nil { report(device) }
    }

    /// Lets every row of a device wait for its name: the rules by which rows are shared have changed.
    func nameAllAgain(_ device: SimulatedDevice) {
        guard device.replica != nil, isMember(device), device.database.state.hasJoined else { return }
        for (name, row) in device.database.rows.sorted(by: { $0.key < $1.key })
        where device.database.unnamed[name] == nil {
            let pending = device.database.differing[name]
            let item = device.database.state.items[name]
            let isRestored = pending.map { $0.note.stamp == .none(isRestored: true) } ?? false
            let known = item.flatMap { chronicle.call(of: name, $0.version) }
            let call =
                pending?.note.call ?? known
                ?? chronicle.addCall(
                    .init(
                        name: name, device: device.number, clock: nil, version: nil, known: device.known,
                        isDeletion: false))
            let note = ChangeNote(
                stamp: .none(isRestored: isRestored), wall: row.content.dates.modified, number: 0, call: call)
            device.database.unnamed[name] = UnnamedRow(
                note: note, isLinked: true, isNamedAgain: pending == nil && item?.state == .live)
        }
        reportNamed(device)
    }

    /// A change has its version. A row that waits for its name is as that now.
    func settleUnnamed(_ name: ItemName, _ content: ItemContent, on device: SimulatedDevice) {
        guard let unnamed = device.database.unnamed[name], unnamed.isLinked, !unnamed.note.stamp.isOfCall,
            let item = device.database.state.items[name], item.state == .live, item.digest == content.digest
        else { return }
        device.database.unnamed[name]?.note.stamp = .none(isRestored: false)
        device.database.unnamed[name]?.isNamedAgain = true
    }

    /// Names the rows that open now, as the engine does when it takes its keys.
    func nameRows(_ device: SimulatedDevice) {
        guard device.engine != .off, device.lockState.opens(.c), isMember(device) else { return }
        for (name, unnamed) in device.database.unnamed.sorted(by: { $0.value.note.number < $1.value.note.number }) {
            guard let row = device.database.rows[name], device.lockState.opens(row.zone) else { continue }
            giveName(name, row, unnamed, on: device)
        }
    }

    private func giveName(_ name: ItemName, _ row: SimulatedRow, _ unnamed: UnnamedRow, on device: SimulatedDevice) {
        let pending = device.database.differing[name]
        if unnamed.note.stamp == .none(isRestored: true), writingRules.restoresLookAtDeletions {
            let isOverDeletion = writingRules.restoresLookAtCalls && pending.map { !$0.isPut } ?? false
            let time = pending.map { $0.note.stamp.clock?.time ?? $0.note.wall }
            let deletion = pending == nil ? device.database.deletion(of: name) : isOverDeletion ? time : nil
            if let deletion, deletion > row.content.dates.modified {
                chronicle.keep(name, row.digest)
                device.database.rows[name] = nil
                device.database.unnamed[name] = nil
                return
            }
            // The deletion comes into the items first; it is older than the row.
            if isOverDeletion { return }
        }
        device.database.unnamed[name] = nil
        settleFormer(of: unnamed, on: device)
        // The change that waits under the name has written the row as it is.
        if case .none = unnamed.note.stamp, unnamed.isLinked, case .put(_, let content) = pending?.change,
            content.digest == row.digest
        {
            return
        }
        if case .none = unnamed.note.stamp, pending == nil, let item = device.database.state.items[name],
            item.state == .live, item.digest == row.digest, unnamed.isLinked
        {
            return
        }
        if case .none = unnamed.note.stamp, chronicle.calls[unnamed.note.call].version != nil,
            !chronicle.copied.contains(device.number)
        {
            device.violate("deleted-stays-deleted", "\(name) is published again, and no program has changed it")
        }
        var note = unnamed.note
        note.number = device.database.nextNumber()
        device.database.differing[name] = SimulatedChange(change: .put(name, row.content), note: note)
    }
}
