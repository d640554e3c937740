import LatchkeySyncCore
import LatchkeySyncSimulation

extension ScaleRun {
    func reply(to question: StoreQuestion, for device: ScaleDevice) {
        switch question {
        case .heads:
            // Those of removed devices are not in this store, and the own one is read as well.
            let heads = devices.compactMap { store.heads[$0.identifier] }
            device.count.note("list heads", heads.count * ObjectSizes.listedHead)
            let read = heads.filter { head, _ in
                let isNew = device.shownHeads.updateValue(head.number, forKey: head.device) != head.number
                return isNew || head.device == device.identifier
            }
            device.count.note("read changed heads", read.reduce(0) { $0 + $1.byteCount })
            deliver(.answer(.heads(heads.map(\.head))), to: device)
        case .segments(let dots):
            let found = dots.compactMap { dot -> SealedSegment? in
                if case .segment(let segment)? = store.objects[.segment(dot)] { segment } else { nil }
            }
            device.count.note("read segments", found.reduce(0) { $0 + $1.seal.byteCount })
            deliver(.answer(.segments(found)), to: device)
        case .snapshotPart(let writer, let number, let position):
            var found: SealedSnapshotPart?
            let name = ObjectName.snapshotPart(writer, number: number, part: position)
            if case .part(let part)? = store.objects[name] { found = part }
            device.count.note("read snapshot part", found?.seal.byteCount ?? 0)
            deliver(.answer(.snapshotPart(writer, number: number, part: position, found)), to: device)
        case .ownHead:
            let head = store.heads[device.identifier]
            device.count.note("read own head", head?.byteCount ?? 0)
            deliver(.answer(.ownHead(head?.head)), to: device)
        case .ownObject(let name):
            device.count.note("read own object", 0)
            let found: ObjectHash? =
                switch store.objects[name] {
                case .segment(let segment): segment.hash
                case .part(let part): part.seal.hash
                case nil: nil
                }
            deliver(.answer(.ownObject(name, found)), to: device)
        case .objects(let writer):
            let names = Set(store.objects.keys.filter { $0.writer == writer })
            device.count.note("list own objects", names.count * 60)
            deliver(.answer(.objects(writer, names)), to: device)
        }
    }

    func perform(_ effect: ReplicaEffect, for device: ScaleDevice) {
        switch effect {
        case .create(let objects):
            for object in objects { store.create(object.name, made(object, by: device)) }
            let isSegment = if case .segment? = objects.first?.name { true } else { false }
            device.count.note(
                isSegment ? "write segments" : "write snapshot part", objects.reduce(0) { $0 + $1.seal.byteCount })
            deliver(.answer(.created(objects.map(\.name))), to: device)
        case .writeHead(let head):
            store.write(head)
            device.count.note("write head", ObjectSizes.head(head.body))
            for reader in devices where reader !== device && reader.isOnline && !reader.isHinted {
                reader.isHinted = true
                queue.add(.hint(reader.number), at: max(time + model.storeTime, reader.nextHint))
            }
            deliver(.answer(.headWritten(head.number)), to: device)
        case .remove(let names):
            for name in names { store.remove(name) }
            device.count.note("remove objects", names.count * 60)
        case .commit, .read, .createEpoch, .wake, .goOn, .report, .raise, .clear: break
        }
    }

    /// The object as a reader finds it: its contents are in its records.
    private func made(_ object: SealedObject, by device: ScaleDevice) -> ScaleStore.Stored {
        guard let header = device.headers[object.seal.hash] else { preconditionFailure("the object was sealed") }
        return header
    }

    // MARK: Use

    func use(_ use: UsageModel.Event, on device: ScaleDevice) {
        switch use {
        case .online, .offline:
            if case .online = use { device.isOnline = true } else { device.isOnline = false }
            guard device.isOnline else { return }
            deliver(.hint, to: device)
            deliver(.time, to: device)
        case .unlock: deliver(.locked(.unlocked), to: device)
        case .lock: deliver(.locked(.locked), to: device)
        case .change(let kind, let draw): change(kind, draw, on: device)
        }
    }

    private func change(_ kind: Int, _ draw: UInt64, on device: ScaleDevice) {
        changes += 1
        var change: LocalChange?
        if kind < 3 {
            change = put(newName(), on: device)
        } else if let name = someName(draw, on: device) {
            if kind < 9 {
                change = put(name, on: device)
            } else {
                device.rows[name] = nil
                change = .delete(name, leavesTombstone: true)
            }
        }
        guard let change else { return }
        deliver(.changed([device.stamped(change, wallClock: Self.wallClock(time))]), to: device)
    }

    /// Returns the name of an item that is still there.
    private func someName(_ draw: UInt64, on device: ScaleDevice) -> ItemName? {
        guard !device.names.isEmpty else { return nil }
        for attempt in 0..<20 as Range<UInt64> {
            let name = device.names[Int((draw &+ attempt &* 7_919) % UInt64(device.names.count))]
            if device.rows[name] != nil { return name }
        }
        return nil
    }
}
