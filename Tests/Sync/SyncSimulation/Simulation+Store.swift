import LatchkeySyncCore

extension Simulation {
    /// The times from which the readers see what a device writes now.
    func visibility(by writer: SimulatedDevice) -> [UInt64] {
        devices.map { reader in
            if reader.number == writer.number || isSettling { return time }
            if reader.identifier == writer.identifier { return time }
            if reader.group != writer.group { return SimulatedStore.never }
            return time + delay(for: reader)
        }
    }

    private func delay(for reader: SimulatedDevice) -> UInt64 {
        let longest: UInt64
        if numbers.chance(network.veryLate) {
            longest = 400 * 86_400_000_000
        } else if numbers.chance(network.late) {
            longest = 3_600_000_000
        } else {
            return numbers.below(500_000 as UInt64)
        }
        meet(.lateObjects, reader)
        return numbers.below(longest)
    }

    /// Performs a question or a write at the store.
    func perform(_ effect: ReplicaEffect, for device: SimulatedDevice) {
        guard device.isOnline else { return }
        switch effect {
        case .read(let question): reply(to: question, for: device)
        case .create(let objects): create(objects, for: device)
        case .writeHead(let head): write(head, for: device)
        case .remove(let names):
            note("device \(device.number) removes \(names.count) objects")
            for name in names { store.objects[name] = nil }
        case .commit, .createEpoch, .goOn, .wake, .report, .raise, .clear: break
        }
    }

    private func describe(_ body: Head.Body) -> String {
        let vector = body.vector.streams.sorted().map { stream in
            let number = devices.first { $0.identifier == stream.device }?.number ?? -1
            return "\(number)\(stream.zone)\(body.vector[stream])"
        }
        let snapshot = body.snapshot.map { ", snapshot \($0.number)" } ?? ""
        return "a \(body.streams.a.first)-\(body.streams.a.last), c \(body.streams.c.first)-\(body.streams.c.last), "
            + "has \(vector)\(snapshot)"
    }

    private func summary(_ object: SimulatedObject) -> String {
        let names = object.records.map { "\(short($0.name)) \($0.digest.map { "\($0.words.0)" } ?? "gone")" }
        switch object.header {
        case .segment(let segment): return "segment \(segment.dot.stream.zone)\(segment.dot.number) of \(names)"
        case .part(let part): return "part \(part.part) of snapshot \(part.number), \(names)"
        }
    }

    func short(_ name: ItemName) -> String { "item \(names.firstIndex(of: name) ?? -1)" }

    private func create(_ sealed: [SealedObject], for device: SimulatedDevice) {
        let objects = sealed.compactMap { object -> SimulatedObject? in
            // Segments are in the outbox. A part may be gone after a crash, and so is the question.
            if !device.sealed.contains(object.seal.hash), !device.retains(object) {
                device.violate("bytes-at-hand", "\(object.name) was created without its bytes")
            }
            return world.objects[object.seal.hash]
        }
        note("device \(device.number) creates \(objects.map(summary))")
        objectWrites += 1
        for object in objects {
            guard store.create(object, since: visibility(by: device)) else {
                return send(.taken(object.name), to: device)
            }
        }
        send(.created(objects.map(\.name)), to: device)
    }

    private func write(_ head: Head, for device: SimulatedDevice) {
        note("device \(device.number) writes head \(head.number): \(describe(head.body))")
        let old = store.head(of: device.identifier, for: device.number, at: time)
        if old?.body != head.body { headWrites[device.number, default: 0] += 1 }
        if old?.hash == head.hash { return send(.headWritten(head.number), to: device) }
        let since = visibility(by: device)
        store.write(head, since: since)
        publishLostStatements(of: device)
        for reader in devices where reader.number != device.number && !reader.isRetired {
            guard since[reader.number] != SimulatedStore.never else {
                meet(.divided, reader)
                continue
            }
            guard isSettling || !numbers.chance(network.hintsLost) else {
                meet(.lostHint, reader)
                continue
            }
            queue.add(.hint(device: reader.number), at: since[reader.number] + 10_000)
        }
        send(.headWritten(head.number), to: device)
    }

    private func send(_ answer: StoreAnswer, to device: SimulatedDevice) {
        if isSettling { return deliver(.answer(answer), to: device) }
        if numbers.chance(network.lost) { return meet(.lostAnswer, device) }
        if numbers.chance(15) {
            meet(.lateAnswer, device)
            queue.add(.answer(device: device.number, session: device.session, answer), at: time + latency())
            guard numbers.chance(network.duplicated) else { return }
        }
        deliver(.answer(answer), to: device)
    }

    private func reply(to question: StoreQuestion, for device: SimulatedDevice) {
        let reader = device.number
        switch question {
        case .heads:
            let heads = store.heads(for: reader, at: time)
            readStatements(device)
            let isOlder = heads.filter { head in
                head.number < device.headNumbers[head.device] ?? 0
                    && membership.view(device.database.statements).members.contains(head.device)
            }
            send(.heads(heads), to: device)
            if isSettling { check(isOlder, on: device) }
            for head in heads {
                device.headNumbers[head.device] = max(device.headNumbers[head.device] ?? 0, head.number)
            }
        case .segments(let dots):
            let found = dots.compactMap { dot -> SealedSegment? in
                guard case .segment(let segment)? = store.object(.segment(dot), for: reader, at: time)?.header else {
                    return nil
                }
                return segment
            }
            send(.segments(found), to: device)
        case .snapshotPart(let writer, let number, let position):
            var found: SealedSnapshotPart?
            let name = ObjectName.snapshotPart(writer, number: number, part: position)
            if case .part(let part)? = store.object(name, for: reader, at: time)?.header { found = part }
            send(.snapshotPart(writer, number: number, part: position, found), to: device)
        case .ownObject(let name):
            send(.ownObject(name, store.object(name, for: reader, at: time)?.hash), to: device)
        case .ownHead: send(.ownHead(store.head(of: device.identifier, for: reader, at: time)), to: device)
        case .objects(let writer): send(.objects(writer, store.names(of: writer, for: reader, at: time)), to: device)
        }
    }

    /// A store that shows older heads than before raises the alarm with the same answer.
    private func check(_ older: [Head], on device: SimulatedDevice) {
        guard device.replica != nil, isMember(device) else { return }
        for head in older where head.device != device.identifier {
            guard !device.alarms.contains(.storeRolledBack(head.device)),
                !device.database.state.duplicated.contains(head.device),
                device.database.state.seen[head.device].map({ $0.number > head.number }) ?? false
            else { continue }
            device.violate("rollback-detected", "no alarm for head \(head.number) of \(head.device)")
        }
    }
}

extension SimulatedDevice {
    /// Returns true if the object is in the outbox, or was when the question was asked.
    fileprivate func retains(_ object: SealedObject) -> Bool {
        guard case .segment(let dot) = object.name else { return false }
        if let seal = database.state.outbox[dot] { return seal == object.seal }
        return dot.number < database.state.firsts[dot.stream.zone]
    }
}
