import LatchkeySyncCore

extension Simulation {
    private static let second: UInt64 = 1_000_000

    /// Ends all faults, and lets the devices come to rest.
    func settle() {
        note("— settling")
        isSettling = true
        network = .init(hintsLost: 0)
        for device in devices where !device.isRetired {
            if let replica = device.replica, isTold(device), !device.isCommitted(replica.state) {
                device.violate("applied-once", "the committed state differs from that of the replica")
            }
            device.crashesAfter = nil
            device.refusesAfter = nil
            device.group = 0
            device.lockState = .unlocked
            device.engine = .running
            device.beforeApplying = nil
            device.isOnline = true
        }
        store.showAll(at: time)
        for device in devices where !device.isRetired {
            if device.replica == nil {
                start(device)
            } else {
                reportNamed(device)
                deliver(.locked(.unlocked), to: device)
            }
            deliver(.hint, to: device)
            deliver(.time, to: device)
        }
        rest()
        // Copies that have nothing to say find out with their daily heads, and one that was restored while the store had lost its head
        // when these have the numbers of those before.
        var isChanging = true
        for day in 0..<60 where failure == nil && (isChanging && day < 8 || devices.contains(where: seesOldHeads)) {
            let before = (objectWrites, headWrites)
            let isRepaired = repair()
            rest()
            // Old snapshots and the objects of removed devices go a day after the last change.
            pass(27 * 3_600 * Self.second)
            rest()
            isChanging = repair() || isRepaired || before != (objectWrites, headWrites)
        }
        rest()
    }

    /// True if the replica has heard of every call: each moves the stored clock.
    private func isTold(_ device: SimulatedDevice) -> Bool {
        device.database.unnamed.isEmpty && device.database.differing.values.allSatisfy { $0.note.number <= device.told }
    }

    private func seesOldHeads(_ device: SimulatedDevice) -> Bool {
        !device.isRetired && device.alarms.contains { if case .storeRolledBack = $0 { true } else { false } }
    }

    /// Lets an hour pass at a time until nothing is written.
    private func rest() {
        for round in 0..<60 where failure == nil {
            let before = (objectWrites, headWrites)
            for device in devices where !device.isRetired { queue.add(.hint(device: device.number), at: time) }
            pass(3_600 * Self.second)
            if round > 0, before == (objectWrites, headWrites) { return }
        }
        if failure == nil { devices[0].violate("quiet-at-rest", "the devices do not come to rest") }
    }

    /// Gives each device that found out that it is a copy a new identity, and removes identities that are not used any more.
    /// - Returns: true if something was done.
    private func repair() -> Bool {
        var acted = false
        for device in devices where !device.isRetired && isCopy(device) {
            device.isRetired = true
            acted = true
            note("device \(device.number) is repaired")
            guard let author = anyMember(but: device.identifier) else { continue }
            renew(device, by: author)
        }
        let used = Set(devices.filter { !$0.isRetired }.map(\.identifier))
        let distrusted = devices.filter { !$0.isRetired && isMember($0) }
            .reduce(into: Set()) { $0.formUnion($1.database.state.duplicated) }
        for device in devices where !used.contains(device.identifier) || distrusted.contains(device.identifier) {
            guard let author = anyMember(but: device.identifier),
                membership.view(author.database.statements).members.contains(device.identifier)
            else { continue }
            remove(device, by: author)
            acted = true
        }
        return acted
    }

    /// Returns true for a device that knows, or was told by its owner who saw the alarm, that it is a copy.
    private func isCopy(_ device: SimulatedDevice) -> Bool {
        device.database.state.duplicated.contains(device.identifier)
            || device.alarms.contains { if case .ownSegmentsUnknown = $0 { true } else { false } }
    }

    private func belongs(_ device: SimulatedDevice) -> Bool {
        !device.isRetired && membership.view(device.database.statements).members.contains(device.identifier)
    }

    private func anyMember(but identifier: DeviceIdentifier) -> SimulatedDevice? {
        let able = devices.filter { isMember($0) && $0.identifier != identifier && $0.replica != nil }
        return able.first { $0.database.state.hasJoined } ?? able.first
    }

    private func renew(_ old: SimulatedDevice, by author: SimulatedDevice) {
        // Its calls have no versions any more, and names that it waited for are given anew.
        let deleted = old.database.differing.filter { !$0.value.isPut }.map(\.key)
        chronicle.absent.formUnion(deleted)
        let device = makeDevice { old.database.state.renewed(as: $0, deleted: Set(deleted)) }
        device.known = old.known
        chronicle.copied.formUnion([old.number, device.number])
        chronicle.inherit(chronicle.overwritten.count, from: old.number, by: device.number)
        for (name, item) in old.database.state.items where device.database.state.items[name] == nil {
            if let base = item.base { chronicle.overwritten.append((device.number, .init(name: name, version: base))) }
        }
        device.clockError = old.clockError
        device.database.rows = old.database.rows
        device.database.conflicts = old.database.conflicts
        device.database.deletions = old.database.deletions
        for (name, row) in old.database.rows {
            let item = device.database.state.items[name]
            let waits = old.database.unnamed[name].map { !$0.isNamedAgain } ?? false
            let isChanged = old.database.differing[name] != nil || waits
            if item?.state != .live || item?.digest != row.digest || isChanged {
                device.database.differing[name] = SimulatedChange(
                    change: .put(name, row.content), note: noteFromBefore(name, on: device))
                chronicle.joining.append((device.number, name, row.digest))
            }
        }
        for (name, item) in device.database.state.items where item.dot != nil { device.greatest[name] = item.version }
        admit(device, by: author)
    }

    /// The devices that belong to the circle when everything is known that a member knows. A removed device does not write any more: a
    /// statement of its own that the store lost stays unknown.
    var finalMembers: [SimulatedDevice] {
        let known = devices.filter { belongs($0) }.reduce(0) { $0 | $1.database.statements }
        let members = membership.view(known).members
        return devices.filter { !$0.isRetired && members.contains($0.identifier) }
    }
}
