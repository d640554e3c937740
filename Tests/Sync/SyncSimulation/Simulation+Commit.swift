import LatchkeySyncCore

extension Simulation {
    /// Returns false if a program has changed what the transaction writes since the replica was told, and while a call has no name if the
    /// transaction has something that other devices wrote.
    func isCommittable(_ transaction: ReplicaTransaction, on device: SimulatedDevice) -> Bool {
        if transaction.appliesReceived {
            device.beforeApplying?()
            device.beforeApplying = nil
        }
        let database = device.database
        for change in transaction.changes {
            switch change {
            case .row(let name, _), .item(let name, _):
                if transaction.appliesReceived, device.isUntold(name) { return false }
            case .versioned(let name):
                guard writingRules.firstVersionsLookForCalls else { continue }
                if device.isUntold(name) { return false }
                guard rules.testOnlyWaitsForNames, writingRules.transactionsLookForNames else { continue }
                if database.hasCallWithoutName { return false }
            case .conflict(let conflict):
                if device.isUntold(conflict.name) { return false }
            case .received(_, let zone):
                guard rules.testOnlyWaitsForNames, writingRules.transactionsLookForNames else { continue }
                if zone == .a, !rules.testOnlyZoneAWaitsForNames { continue }
                if database.state.hasJoined, database.hasCallWithoutName { return false }
            default: continue
            }
        }
        return true
    }

    /// Commits a transaction, and notes what it means.
    func commit(_ transaction: ReplicaTransaction, on device: SimulatedDevice) {
        let known = device.database.state.items
        for change in transaction.changes {
            switch change {
            case .item(let name, let item): noteItem(item, name, on: device)
            case .row(let name, let content): write(content, to: name, over: known[name], on: device)
            case .conflict(let conflict): keep(conflict, on: device)
            case .noted(let name): forgetChange(of: name, on: device)
            case .forgottenDeletion(let name, let time):
                device.database.deletions[name] = max(device.database.deletions[name] ?? 0, time)
            case .applied(let stream, let number, let hash):
                checkApplied(stream, number, hash, on: device)
                if let hash, stream.device != device.identifier { noteRead(hash, on: device) }
            case .received(_, nil): noteReadParts(on: device)
            default: break
            }
            device.database.state.apply(change)
        }
    }

    private func write(
        _ content: ItemContent?, to name: ItemName, over known: KnownItem?, on device: SimulatedDevice
    ) {
        note("device \(device.number): \(short(name)) is \(content.map { "\($0.digest.words.0)" } ?? "gone")")
        let unnamed = device.database.unnamed[name]
        let waiting = WaitingItem(
            unnamed, device.database.rows[name], over: known?.version.time, writingRules)
        let isLinked = unnamed.map(\.isLinked) ?? true
        guard let content else {
            // A row that waits for its name is not found by it.
            guard isLinked else { return }
            if let waiting {
                let deletion = device.database.state.items[name].flatMap { $0.state == .gone ? $0.version.time : nil }
                guard waiting.loses(toDeletionAt: deletion) else { return }
                if waiting.isKept { chronicle.keep(name, waiting.digest) }
            }
            return removeRow(name, on: device)
        }
        guard let row = written(content, to: name, on: device) else { return }
        if unnamed != nil, let other = device.database.rows[name] {
            // The row of this primary key that waits for its name: as at joining, the newer one wins.
            let isNewer =
                (waiting?.isChanged ?? false) && other.content.dates.modified > content.dates.modified
            if isNewer { return chronicle.keep(name, row.digest) }
            if waiting?.isKept ?? true { chronicle.keep(name, other.digest) }
        }
        device.database.unnamed[name] = nil
        device.database.rows[name] = row
    }

    private func removeRow(_ name: ItemName, on device: SimulatedDevice) {
        device.database.rows[name] = nil
        device.database.unnamed[name] = nil
    }

    private func forgetChange(of name: ItemName, on device: SimulatedDevice) {
        // A later change stays.
        guard let change = device.database.differing[name], change.note.number <= device.told else { return }
        device.database.differing[name] = nil
        if case .put(_, let content) = change.change { settleUnnamed(name, content, on: device) }
        if !change.isPut, device.database.state.items[name] == nil {
            chronicle.calls[change.note.call].isVoid = true
        }
    }

    // MARK: Calls that a device learns of

    private func noteRead(_ hash: ObjectHash, on device: SimulatedDevice) {
        guard let object = device.world.objects[hash] else { return }
        for record in object.records {
            device.trueClock.advance(to: DeviceClock(record.version))
            let item = device.database.state.items[record.name]
            let known = item?.dot == nil ? device.database.state.replaced[record.name] : item
            if known.map({ $0.version < record.version }) ?? true { chronicle.noteRival(record, on: device.number) }
            guard let call = chronicle.call(of: record.name, record.version) else { continue }
            device.got.insert(call)
            device.known.formUnion(chronicle.calls[call].known.union([call]))
        }
    }

    private func noteReadParts(on device: SimulatedDevice) {
        for hash in device.received {
            guard let object = device.world.objects[hash] else { continue }
            noteRead(hash, on: device)
            device.known.formUnion(object.known)
            device.got.formUnion(object.got)
        }
    }

    private func noteItem(_ item: KnownItem?, _ name: ItemName, on device: SimulatedDevice) {
        guard let item else {
            // Before a device has joined, a record that no other device will get becomes a local item without a version.
            if !device.database.state.hasJoined { device.greatest[name] = nil }
            return
        }
        chronicle.joining.removeAll {
            $0.device == device.number && $0.name == name && $0.digest == item.digest
        }
        let isNew = chronicle.changes[.init(name: name, version: item.version)] == nil
        let row = item.state == .live ? device.database.rows[name] : nil
        if isNew, item.version.device == device.identifier, let change = device.database.differing[name],
            chronicle.call(of: name, item.version) == nil
        {
            // A change without a version, which knows what the device has read by now.
            chronicle.calls[change.note.call].known.formUnion(device.known.subtracting([change.note.call]))
            chronicle.name(change.note.call, item.version)
        }
        chronicle.note(
            item, name, content: row?.digest == item.digest ? row?.content : nil,
            parent: isNew ? device.database.state.items[name]?.version : nil, holder: device.number)
        guard item.dot != nil else { return }
        if let call = chronicle.call(of: name, item.version) { device.got.insert(call) }
        device.greatest[name] = max(device.greatest[name] ?? item.version, item.version)
    }

    /// Returns the row of a content, which comes from the record that its place names.
    private func written(_ content: ItemContent, to name: ItemName, on device: SimulatedDevice) -> SimulatedRow? {
        let row = device.row(of: name, at: content.place)
        if row?.content != content.inRow || row?.isRight != true {
            device.violate("applied-once", "\(name) was to become \(content), and is \(String(describing: row))")
        }
        return row
    }

    private func keep(_ conflict: ConflictVersion, on device: SimulatedDevice) {
        let content: ItemContent?
        switch conflict.source {
        case .row:
            content = device.database.rows[conflict.name]?.content
            let own = device.database.differing[conflict.name]?.note.stamp.clock?.version(of: device.identifier)
            if own != nil, own == conflict.version, conflict.reason == .overruled, isWhole {
                device.violate("calls-win", "the version of a call of \(conflict.name) was not greater")
            }
        case .record(let recorded): content = written(recorded, to: conflict.name, on: device)?.content
        }
        guard let content else {
            return device.violate("conflicts-restorable", "a conflict version of \(conflict.name) has no content")
        }
        chronicle.keep(conflict.name, content.digest)
        device.database.conflicts.append(
            ConflictVersion(
                name: conflict.name, version: conflict.version, reason: conflict.reason, source: .record(content)))
    }

    private func checkApplied(
        _ stream: StreamIdentifier, _ number: UInt64, _ hash: ObjectHash?, on device: SimulatedDevice
    ) {
        let before = device.database.state.vector[stream]
        guard hash != nil else {
            if device.lockState != .unlocked { device.violate("locked-stays-locked", "a snapshot was loaded") }
            return
        }
        if number != before + 1 {
            device.violate("applied-once", "segment \(number) of \(stream) was applied after \(before)")
        }
        guard stream.device != device.identifier else { return }
        if !device.lockState.opens(stream.zone) {
            device.violate(
                "locked-stays-locked", "a segment of zone \(stream.zone) was applied while \(device.lockState)")
        }
        if number > device.database.state.seen[stream.device]?.body.streams[stream.zone].last ?? 0 {
            device.violate("never-half", "segment \(number) of \(stream) was applied and no head names it")
        }
    }
}
