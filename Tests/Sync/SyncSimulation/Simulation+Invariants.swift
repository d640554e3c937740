import LatchkeySyncCore

extension Simulation {
    /// Checks what must hold at rest.
    func checkAtRest() {
        let members = finalMembers
        for device in members where failure == nil {
            checkAlarms(device)
            checkEnds(device)
            checkItems(device, members)
        }
        guard failure == nil, !members.isEmpty else { return }
        checkConvergence(members)
        checkLosses(members)
        checkOrder(members)
        checkStore(members)
        if failure == nil { checkQuiet(members) }
    }

    private func checkAlarms(_ device: SimulatedDevice) {
        if device.mustFindOut { device.violate("clone-detected", "a restored device goes on") }
        if !device.alarms.isEmpty { device.violate("no-false-alarms", "\(device.alarms)") }
    }

    private func checkEnds(_ device: SimulatedDevice) {
        let state = device.database.state
        guard let replica = device.replica else { return device.violate("converges", "the device does not run") }
        if !device.isCommitted(replica.state) {
            device.violate("applied-once", "the committed state differs from the replica's")
        }
        if !state.hasJoined { device.violate("converges", "the device has not joined") }
        let tombstones = state.items.filter { $0.value.state == .gone }
        if !tombstones.isEmpty { device.violate("tombstones-end", "\(tombstones.map(\.key))") }
        if !state.pending.isEmpty { device.violate("converges", "segments are pending: \(state.pending.keys)") }
        if !device.database.differing.isEmpty { device.violate("converges", "changes without a version") }
        if !device.database.unnamed.isEmpty { device.violate("converges", "rows without a name") }
        if state.items.contains(where: { $0.value.dot == nil }) { device.violate("converges", "unpublished changes") }
    }

    /// The greatest version of each item that any of the members has had wins.
    private func checkItems(_ device: SimulatedDevice, _ members: [SimulatedDevice]) {
        // An item that its only holder removed without a tombstone may be gone.
        for name in names where !chronicle.absent.contains(name) {
            let winner = members.compactMap { $0.greatest[name] }.max()
            let item = device.database.state.items[name]
            let content = winner.flatMap { chronicle.changes[.init(name: name, version: $0)]?.content }
            let row = device.database.rows[name]
            guard content != nil, let winner else {
                if item != nil || row != nil {
                    device.violate("deleted-stays-deleted", "\(name) is \(String(describing: item))")
                }
                continue
            }
            if item == nil, chronicle.isDeleted(name, after: winner) { continue }
            if item?.version != winner {
                device.violate("last-writer-wins", "\(name) is \(String(describing: item)) and not \(winner)")
            } else if item?.state == .live, !chronicle.isRight(row?.content, of: name, winner) {
                let invariant = row?.digest == content?.digest ? "dates-preserved" : "applied-once"
                device.violate(invariant, "the row of \(name) is \(String(describing: row)), not \(winner)")
            } else if item?.state != .live {
                device.violate("converges", "\(name) is \(String(describing: item?.state))")
            }
        }
    }

    private func checkConvergence(_ members: [SimulatedDevice]) {
        let digests = Set(members.map { $0.database.state.head?.body.digest })
        if chronicle.absent.isEmpty, digests.count > 1 || digests.contains(nil) {
            members[0].violate("converges", "digests differ")
        }
        for device in members {
            for other in members {
                for zone in ZoneClass.allCases {
                    let stream = StreamIdentifier(other.identifier, zone)
                    if device.database.state.vector[stream] != other.database.state.vector[stream] {
                        device.violate("converges", "the vector differs from that of device \(other.number)")
                    }
                }
            }
        }
    }

    /// Every content that a member has had is current, was known to its successor, or is kept.
    private func checkLosses(_ members: [SimulatedDevice]) {
        let bits = members.reduce(UInt64(0)) { $0 | 1 << UInt64($1.number) }
        var accounted: [ItemName: Set<ObjectHash>] = [:]
        let superseded = chronicle.superseded(by: bits)
        for name in names {
            guard let winner = members.compactMap({ $0.greatest[name] }).max() else { continue }
            accounted[name] = chronicle.accounted(name, winner)
        }
        func isLost(_ name: ItemName, _ digest: ObjectHash, _ version: ItemVersion?) -> Bool {
            if chronicle.absent.contains(name) || chronicle.kept.contains(.init(name: name, digest: digest)) {
                return false
            }
            if let version, superseded.contains(.init(name: name, version: version)) { return false }
            if accounted[name]?.contains(digest) ?? false { return false }
            // Two devices wrote the same: nothing is kept of the lesser version, and a change that knew the greater one has replaced both.
            return !superseded.contains { greater in
                guard let version, greater.name == name, greater.version > version else { return false }
                return chronicle.changes[greater]?.content?.digest == digest
            }
        }
        for (key, change) in chronicle.changes where change.holders & bits != 0 {
            guard let digest = change.content?.digest else { continue }
            if isLost(change.name, digest, key.version) {
                members[0].violate("nothing-acknowledged-is-lost", "\(key.version) of \(change.name) is nowhere")
            }
        }
        for item in chronicle.joining where members.contains(where: { $0.number == item.device }) {
            if isLost(item.name, item.digest, nil) {
                members[0].violate("joining-deletes-nothing", "\(item.name) of device \(item.device) is nowhere")
            }
        }
    }

    /// The store contains every item, and little else.
    private func checkStore(_ members: [SimulatedDevice]) {
        var stored: [ItemName: Set<ItemVersion>] = [:]
        var expected: Set<ObjectName> = []
        var allowed: Set<ObjectName> = []
        for device in members {
            guard let head = store.heads[device.identifier]?.last?.value else {
                device.violate("converges", "the store has no head")
                continue
            }
            let state = device.database.state
            for zone in ZoneClass.allCases {
                let stream = StreamIdentifier(device.identifier, zone)
                let summary = head.body.streams[zone]
                guard summary.first <= summary.last else { continue }
                for number in summary.first...summary.last { expected.insert(.segment(Dot(stream, number))) }
            }
            if let snapshot = head.body.snapshot { expected.formUnion(snapshot.names(of: device.identifier)) }
            for snapshot in state.previousSnapshots {
                allowed.formUnion(snapshot.reference.names(of: device.identifier))
            }
            if state.outbox.count > limits.retainedSegments, chronicle.absent.isEmpty {
                device.violate("bounded-store", "\(state.outbox.count) segments are retained")
            }
        }
        for name in expected {
            guard let object = store.objects[name]?.value else {
                members[0].violate("bounded-store", "\(name) is not in the store")
                continue
            }
            for record in object.records {
                if case .live = record.state { stored[record.name, default: []].insert(record.version) }
            }
        }
        for (name, item) in members[0].database.state.items where item.isAlive && !chronicle.absent.contains(name) {
            if !(stored[name]?.contains(item.version) ?? false) {
                members[0].violate("recoverable", "\(name) is not in the store")
            }
        }
        let strays = store.objects.keys.filter { name in
            if expected.contains(name) || allowed.contains(name) { return false }
            switch name {
            case .head: return false
            // Removed by their writers after days.
            case .snapshotPart(let writer, _, _): return !members.contains { $0.identifier == writer }
            // A clone may have created it before it found out.
            case .segment(let dot):
                let member = members.first { $0.identifier == dot.stream.device }
                return dot.number <= member?.database.state.vector[dot.stream] ?? .max
            }
        }
        if !strays.isEmpty { members[0].violate("bounded-store", "\(strays.map { "\($0)" }) are in the store") }
    }

    private func checkQuiet(_ members: [SimulatedDevice]) {
        let before = (objectWrites, headWrites)
        pass(49 * 3_600 * 1_000_000)
        if before != (objectWrites, headWrites) { members[0].violate("quiet-at-rest", "something was written at rest") }
    }
}
