import LatchkeySyncCore

/// Several devices in virtual time over a store in memory, with faults that are drawn from a seed.
package final class Simulation {
    /// Boxed: the queue moves its events often.
    indirect enum Event {
        case question(device: Int, session: Int, ReplicaEffect)
        case answer(device: Int, session: Int, StoreAnswer)
        case hint(device: Int)
        case wake(device: Int, session: Int, time: UInt64)
        case goOn(device: Int, session: Int)
        case restart(device: Int)
        case circle(device: Int, session: Int)
    }

    let seed: UInt64
    let limits: ReplicaLimits
    let rules: ReplicaRules
    let writingRules: WritingRules
    /// No rule is left out.
    let isWhole: Bool
    var numbers: SeededNumbers
    var queue = EventQueue<Event>()
    var time: UInt64 = 1_000_000
    var devices: [SimulatedDevice] = []
    var store = SimulatedStore()
    let world = SimulatedWorld()
    var membership: SimulatedMembership
    var chronicle = Chronicle()
    var network = SimulationStep.Network.good
    var mark: SimulatedStore?
    /// By the number of the device, with the count of versions that had been overwritten by then.
    var backups: [Int: (database: SimulatedDatabase, overwritten: Int)] = [:]
    /// The rows of backups of items, by the number of the device.
    var itemBackups: [Int: [ItemName: SimulatedRow]] = [:]
    /// The number of objects and of heads that were written, apart from heads of the same content.
    var objectWrites = 0
    var headWrites: [Int: Int] = [:]
    var names: [ItemName] = []
    var isSettling = false
    var coverage = FaultCoverage()
    private var eventCount = 0
    private static let eventLimit = 30_000
    /// The last steps and events, for a failure. Nil while speed counts.
    var trace: [String]?

    /// One run in so many evaluates membership by the real rules.
    private static let realRatio: UInt64 = 16

    static let epoch2025: UInt64 = 757_382_400_000_000

    /// - Parameter deviceCount: the number of members at the beginning; nil to draw it.
    init(seed: UInt64, without rule: SimulatedRule?, deviceCount: Int? = nil, isTraced: Bool) {
        self.seed = seed
        rules = rule?.left ?? .all
        writingRules = rule?.writingRules ?? WritingRules()
        isWhole = rule == nil
        membership = SimulatedMembership(realFrom: seed % Simulation.realRatio == 0 ? seed : nil)
        numbers = SeededNumbers(seed: seed ^ 0x51D3)
        var limits = numbers.chance(50) ? ReplicaLimits.quickStore : .folder
        limits.recordsInSegment = 3
        limits.bytesInSegment = 400 + 768
        limits.bytesInSnapshotPart = 700
        limits.retainedSegments = 3 + numbers.below(12)
        // Half of the runs open one segment in an event.
        if limits.retainedSegments.isMultiple(of: 2) { limits.bytesOpenedInEvent = 1 }
        // A fifth of them seal one record for each head.
        if limits.retainedSegments.isMultiple(of: 5) { limits.recordsInPublication = 1 }
        self.limits = limits
        trace = isTraced ? [] : nil
        names = (0..<5).map { ItemName.numbered(UInt64($0) + 1) }
        let drawn = 1 + numbers.below(4)
        found(count: deviceCount ?? drawn)
    }

    func note(_ text: @autoclosure () -> String) {
        guard trace != nil else { return }
        trace?.append("\(time / 1_000) ms: \(text())")
    }

    /// Founds a circle. All of its first devices know of each other.
    private func found(count: Int) {
        var known: UInt64 = 0
        func state(_ kind: SimulatedMembership.Kind) {
            let statement = membership.add(kind, by: 0, knowing: known)
            known |= 1 << UInt64(statement)
            noteEpoch(of: statement)
            publishStatement(statement, by: devices[0])
        }
        for number in 0..<count {
            let device = makeDevice { ReplicaState(device: $0, hasJoined: true) }
            device.clockError =
                numbers.chance(30) ? Int64(numbers.below(631_152_000)) * 1_000_000 - 315_576_000_000_000 : 0
            state(number == 0 ? .founded : .admitted(number))
            if number == 0, membership.needsFirstEpoch { state(.epoch) }
        }
        for device in devices {
            learn(known, device)
            start(device)
        }
    }

    func makeDevice(_ state: (DeviceIdentifier) -> ReplicaState) -> SimulatedDevice {
        let number = devices.count
        // The order of the identifiers is not that of the numbers.
        let identifier =
            membership.makeIdentifier(number: number)
            ?? DeviceIdentifier.numbered(SimulatedEnvironment.mix(seed &+ UInt64(number)))
        return add(
            SimulatedDevice(
                number: number, identifier: identifier, database: .init(state: state(identifier)), world: world))
    }

    @discardableResult
    func add(_ device: SimulatedDevice) -> SimulatedDevice {
        devices.append(device)
        membership.identifiers.append(device.identifier)
        store.addReader(at: time)
        mark?.addReader(at: time)
        return device
    }

    func moment(_ device: SimulatedDevice) -> Moment {
        let wall = Int64(Self.epoch2025) + Int64(time) + device.clockError
        return Moment(uptime: time, wallClock: UInt64(max(wall, 0)))
    }

    // MARK: Time

    /// Lets `duration` pass, with everything that happens in it.
    func pass(_ duration: UInt64) {
        let end = time + duration
        while let next = queue.nextTime, next <= end, failure == nil {
            guard let (time, event) = queue.removeFirst() else { break }
            self.time = max(self.time, time)
            take(event)
            eventCount += 1
            if eventCount > Self.eventLimit { devices[0].violate("quiet-at-rest", "the events do not end") }
        }
        time = max(time, end)
    }

    private func take(_ event: Event) {
        switch event {
        case .question(let number, let session, let effect):
            let device = devices[number]
            guard device.session == session, !device.isRetired else { return }
            perform(effect, for: device)
        case .answer(let number, let session, let answer):
            let device = devices[number]
            guard device.session == session, !device.isRetired, device.isOnline else { return }
            deliver(.answer(answer), to: device)
        case .hint(let number):
            let device = devices[number]
            guard device.isOnline else { return }
            publishLostStatements(of: device)
            reportNamed(device)
            deliver(.hint, to: device)
        case .wake(let number, let session, let wakeTime):
            let device = devices[number]
            guard device.session == session, device.wakesAt == wakeTime else { return }
            // A device that does not reach the store continues when it does.
            guard device.isOnline else { return }
            device.wakesAt = nil
            deliver(.time, to: device)
        case .goOn(let number, let session):
            if devices[number].session == session { deliver(.time, to: devices[number]) }
        case .circle(let number, let session):
            if devices[number].session == session { deliverCircle(to: devices[number]) }
        case .restart(let number):
            let device = devices[number]
            if device.replica == nil, !device.isRetired, device.engine != .off { start(device) }
        }
    }

    var failure: SimulationFailure.Reason? {
        if let refusal = membership.refusal { return .init(invariant: "honest-statements", detail: refusal) }
        for device in devices {
            if let violation = device.violation {
                return .init(invariant: violation.name, detail: "device \(device.number): \(violation.detail)")
            }
        }
        return nil
    }
}

extension Identifier {
    static func numbered(_ number: UInt64) -> Self {
        let words = [SimulatedEnvironment.mix(number), number]
        let bytes = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) } }
        guard let identifier = Self(bytes) else { preconditionFailure("16 bytes are an identifier") }
        return identifier
    }
}
