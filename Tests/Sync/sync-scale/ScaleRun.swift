import LatchkeySyncCore
import LatchkeySyncSimulation

/// A circle of many devices in virtual time.
final class ScaleRun {
    enum Event {
        case use(Int, UsageModel.Event)
        case answer(Int, StoreQuestion)
        case write(Int, ReplicaEffect)
        case hint(Int)
        case poll(Int)
        case wake(Int, UInt64)
    }

    let model: UsageModel
    let world = ScaleWorld()
    var devices: [ScaleDevice] = []
    var store = ScaleStore()
    var queue = EventQueue<Event>()
    var numbers = SeededNumbers(seed: 64)
    var time: UInt64 = UsageModel.second
    var nameCount: UInt64 = 0
    var handled: UInt64 = 0
    var changes: UInt64 = 0

    init(_ model: UsageModel, devices count: Int) {
        self.model = model
        devices = (0..<count).map { ScaleDevice(number: $0, isFounder: $0 == 0) }
    }

    /// Fills the circle: the first device has all items, writes the snapshot that an admission asks for, and the others join.
    func fill(items: Int) {
        let founder = devices[0]
        let view = CircleView(
            members: Set(devices.map(\.identifier)), writingEpoch: ScaleEnvironment.epoch,
            statementHeads: [ScaleEnvironment.epoch.hash])
        for device in devices {
            deliver(.locked(.unlocked), to: device)
            deliver(.circle(view, statements: view.statementHeads, isOwnDecision: false), to: device)
        }
        var changes: [LocalChange] = []
        for _ in 0..<items {
            let name = newName()
            changes.append(put(name, on: founder))
        }
        deliver(.changed(changes.map { founder.stamped($0, wallClock: Self.wallClock(time)) }), to: founder)
        // It has admitted the others.
        deliver(.circle(view, statements: view.statementHeads, isOwnDecision: true), to: founder)
        for device in devices { queue.add(.poll(device.number), at: time + model.pollInterval) }
        pass(until: time + UsageModel.hour)
    }

    func newName() -> ItemName {
        nameCount += 1
        return ItemName.numbered(nameCount)
    }

    func put(_ name: ItemName, on device: ScaleDevice) -> LocalChange {
        let zone: ZoneClass = name.words.1 % 10 < model.zoneATenths ? .a : .c
        let content = world.add(zone, at: Self.wallClock(time))
        if device.rows.updateValue(content, forKey: name) == nil { device.names.append(name) }
        return .put(name, world.content(content))
    }

    static func wallClock(_ time: UInt64) -> UInt64 { 757_382_400_000_000 + time }

    func pass(until end: UInt64) {
        while let next = queue.nextTime, next <= end, let (time, event) = queue.removeFirst() {
            self.time = max(self.time, time)
            take(event)
        }
        time = max(time, end)
    }

    /// Lets a day of use pass.
    func passDay(_ day: UInt64, since start: UInt64) {
        for device in devices {
            for (time, event) in model.events(ofDay: day, device: device.number, &numbers) {
                queue.add(.use(device.number, event), at: start + time)
            }
        }
        pass(until: start + (day + 1) * UsageModel.day)
    }

    private func take(_ event: Event) {
        switch event {
        case .use(let number, let use): self.use(use, on: devices[number])
        case .answer(let number, let question):
            let device = devices[number]
            if device.isOnline { reply(to: question, for: device) }
        case .write(let number, let effect):
            let device = devices[number]
            if device.isOnline { perform(effect, for: device) }
        case .hint(let number):
            let device = devices[number]
            device.isHinted = false
            guard device.isOnline else { return }
            device.nextHint = time + model.hintInterval
            deliver(.hint, to: device)
        case .poll(let number):
            queue.add(.poll(number), at: time + model.pollInterval)
            if devices[number].isOnline { deliver(.hint, to: devices[number]) }
        case .wake(let number, let wakeTime):
            let device = devices[number]
            guard device.wakesAt == wakeTime else { return }
            guard device.isOnline else { return }
            device.wakesAt = nil
            deliver(.time, to: device)
        }
    }

    func deliver(_ event: ReplicaEvent, to device: ScaleDevice) {
        handled += 1
        let effects = device.replica.handle(
            event, at: Moment(uptime: time, wallClock: Self.wallClock(time)),
            in: ScaleEnvironment(device: device, world: world))
        for effect in effects { take(effect, of: device) }
        if effects.contains(where: { if case .goOn = $0 { true } else { false } }) { deliver(.time, to: device) }
    }

    private func take(_ effect: ReplicaEffect, of device: ScaleDevice) {
        switch effect {
        case .commit(let transaction): commit(transaction, on: device)
        case .read(let question): queue.add(.answer(device.number, question), at: time + model.storeTime)
        case .create, .writeHead, .remove: queue.add(.write(device.number, effect), at: time + model.storeTime)
        case .wake(let wakeTime):
            device.wakesAt = wakeTime
            queue.add(.wake(device.number, wakeTime), at: wakeTime)
        case .raise(let alarm): device.alarms.insert(alarm)
        case .clear(let alarm): device.alarms.remove(alarm)
        case .goOn: break
        case .createEpoch, .report: preconditionFailure("a circle of honest devices with an epoch")
        }
    }

    private func commit(_ transaction: ReplicaTransaction, on device: ScaleDevice) {
        device.transactions += 1
        for change in transaction.changes {
            switch change {
            case .row(let name, let content):
                device.rowsWritten += 1
                guard let content else {
                    device.rows[name] = nil
                    continue
                }
                if device.rows.updateValue(UInt32(content.digest.words.1), forKey: name) == nil {
                    device.names.append(name)
                }
            case .conflict: device.keptVersions += 1
            default: break
            }
        }
    }
}
