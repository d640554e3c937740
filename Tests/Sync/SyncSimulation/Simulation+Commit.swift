import LatchkeySyncCore

extension Simulation {
    /// Commits a transaction, and notes what it means.
    func commit(_ transaction: ReplicaTransaction, on device: SimulatedDevice) {
        for change in transaction.changes {
            switch change {
            case .item(let name, let item): noteItem(item, name, on: device)
            case .row(let name, let content):
                note("device \(device.number): \(short(name)) is \(content.map { "\($0.digest.words.0)" } ?? "gone")")
                device.database.rows[name] = content.flatMap { written($0, to: name, on: device) }
            case .conflict(let conflict): keep(conflict, on: device)
            case .noted(let name): device.database.differing[name] = nil
            case .applied(let stream, let number, let hash):
                checkApplied(stream, number, hash, on: device)
            default: break
            }
            device.database.state.apply(change)
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
        let isNew = chronicle.changes[item.version] == nil
        let row = item.state == .live ? device.database.rows[name] : nil
        chronicle.note(
            item, name, content: row?.digest == item.digest ? row?.content : nil,
            parent: isNew ? device.database.state.items[name]?.version : nil, holder: device.number)
        guard item.dot != nil else { return }
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
        case .row: content = device.database.rows[conflict.name]?.content
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
