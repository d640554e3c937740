import LatchkeySyncCore

/// A device of the simulation: a database, a replica that is created again after each crash, and the world's view of both.
final class SimulatedDevice {
    /// Also the number of the device as a reader of the store.
    let number: Int
    let identifier: DeviceIdentifier
    var database: SimulatedDatabase
    var replica: SyncReplica?
    var lockState = SyncLockState.unlocked
    var engine = EngineState.running
    /// The last change of programs that the replica was told.
    var told = 0
    /// Changes that were told have their versions now.
    var mustReport = false
    /// A program writes before the next transaction that applies something is committed.
    var beforeApplying: (() -> Void)?
    /// A program writes before the next versions of now are made.
    var beforeVersions: (() -> Void)?
    /// The error of the wall clock, in microseconds.
    var clockError: Int64 = 0
    /// Increases with each start: answers to an earlier run are lost.
    var session = 0
    /// The number of effects until the device crashes.
    var crashesAfter: Int?
    var losesSession = false
    var isOnline = true
    var group = 0
    var wakesAt: UInt64?
    var lastSeal: UInt64 = 0
    /// The device was repaired or is out of use: it does not run any more.
    var isRetired = false
    /// The stored head was newer than the one that the device was restored to.
    var mustFindOut = false

    // Observations
    /// The greatest published version of each item that the device has had.
    var greatest: [ItemName: ItemVersion] = [:]
    /// The clock that the device has or would have if each of its transactions kept the rules.
    var trueClock = DeviceClock()
    /// The calls that the device knows, also by what it has read, and those whose records it has had.
    var known: Set<Int> = []
    var got: Set<Int> = []
    var headNumbers: [DeviceIdentifier: UInt64] = [:]
    var alarms: Set<SyncAlarm> = []
    var everRaised: Set<SyncAlarm> = []
    var violation: (name: String, detail: String)?

    // Objects in the environment
    let world: SimulatedWorld
    /// The objects that were sealed since the start, and those that came with the present event.
    var sealed: Set<ObjectHash> = []
    var received: Set<ObjectHash> = []
    /// The contents of the objects that were opened in the present event.
    var opened: [ObjectName: [SimulatedRow?]] = [:]
    /// The number of uses of a key until the next one fails. Nil if none does.
    var refusesAfter: Int?
    /// The number of times that a key was gone in the present event.
    var refusals = 0

    init(number: Int, identifier: DeviceIdentifier, database: SimulatedDatabase, world: SimulatedWorld) {
        self.world = world
        self.number = number
        self.identifier = identifier
        self.database = database
    }

    typealias EngineState = SimulationStep.EngineState

    /// True if programs can call the device. Without an engine they open it themselves.
    var runsPrograms: Bool { (replica != nil || engine == .off) && !isRetired }

    /// True if the keys for names are at hand.
    var lends: Bool { engine != .off && lockState.opens(.c) }

    func mayWrite(_ zone: ZoneClass) -> Bool {
        runsPrograms && (engine == .off || lockState.opens(zone))
    }

    /// True if the replica has not heard of the last change of an item.
    func isUntold(_ name: ItemName) -> Bool { database.differing[name].map { $0.note.number > told } ?? false }

    /// True if the state of the replica is what is committed. A call that leaves nothing still moves the stored clock.
    func isCommitted(_ state: ReplicaState) -> Bool {
        var state = state
        state.apply(.clock(database.state.clock))
        return state == database.state
    }

    func row(of name: ItemName, at place: ContentPlace) -> SimulatedRow? {
        switch place {
        case .row: database.namedRow(name)
        case .record(let position, let object): opened[object]?[position]
        }
    }

    /// Returns true if the device knows the statement of the epoch.
    func hasKeys(of epoch: ObjectHash) -> Bool {
        guard let known = world.epochs[epoch] else { return false }
        return database.statements & 1 << UInt64(known.statement) != 0
    }

    /// Returns true if a key that was at hand is gone: the device was locked a moment ago.
    func refuses() -> Bool {
        // Noted by the device: the replica cannot be looked at while it handles an event.
        if refusesAfter == 0 { refusals += 1 }
        guard let count = refusesAfter else { return false }
        refusesAfter = count > 0 ? count - 1 : nil
        return count == 0
    }

    func violate(_ name: String, _ detail: String) {
        if violation == nil { violation = (name, detail) }
    }
}
